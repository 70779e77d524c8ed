//! Clouds, hosting platforms and secret stores.

use super::Kind;

/// The rows.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "aws-key-id",
        shapes: &["AKIA{S16}", "ASIA{S16}", "ABIA{S16}", "ACCA{S16}"],
        examples: &["aws_access_key_id = «AKIA{S16}»"],
        near: &["re.compile(r'AKIA[0-9A-Z]{16}')", "AKIAshort"],
    },
    Kind { name: "aws-session-token", shapes: &["IQoJb3JpZ2luX2Vj{P100+}", "FwoGZXIvYXdzE{P80+}"], examples: &[], near: &["IQoJb3JpZ2luX2Vj"] },
    Kind { name: "aws-bedrock-key", shapes: &["ABSK{W100+}", "bedrock-api-key-{P60+}&Version={D1-2}", "bedrock-api-key-{P60+}"], examples: &[], near: &["bedrock-api-key-name"] },
    Kind {
        name: "google-key",
        shapes: &["AIza{U35}", "GOCSPX-{U20+}", "ya29.{V30+}", "1//0{U40+}", "AQ.Ab8RN6{U30+}"],
        examples: &["\"client_secret\": \"«GOCSPX-{U28}»\""],
        near: &["AIzaShort", "ya29.x", "1//0"],
    },
    Kind {
        name: "azure-key",
        shapes: &[
            "{B70-80}+ASt{B4-8}==", "{B70-80}+ABa{B4-8}==", "{B70-80}ACDb{B4-8}==", "{B70-80}+AMC{B4-8}==", "{B70-80}APIM{B4-8}==",
            "{B30-36}+ASb{B4-8}=", "{B30-36}+AEh{B4-8}=", "{B30-36}+ARm{B4-8}=", "{B30-36}AIoT{B4-8}=", "{B30-36}AzCa{B4-8}=",
            "{A40-44}AzSe{A4-8}", "{B40-44}+ACR{B4-8}", "{U40-46}AzFu{U4-8}==", "{A52}JQQJ99{A30}",
        ],
        examples: &["AccountKey=«{B76}+ASt{B6}==»;EndpointSuffix=core.windows.net"],
        near: &["AzSearch", "a+AStar"],
    },
    Kind {
        name: "azure-client-secret",
        shapes: &["{V3}7Q~{P28-34}", "{V3}8Q~{P30-36}"],
        examples: &["secret «{A3}8Q~{A34}» made"],
        near: &["8Q~"],
    },
    Kind {
        name: "cloud-key-id",
        shapes: &["LTAI{A16-30}", "AKID{A32}", "AQVN{U35+}"],
        examples: &[],
        near: &["LTAI5", "AKID"],
    },
    Kind { name: "digitalocean-token", shapes: &["dop_v1_{H64}", "doo_v1_{H64}", "dor_v1_{H64}"], examples: &[], near: &["dop_v1_x"] },
    Kind {
        name: "platform-token",
        shapes: &[
            "HRKU-AA{U40+}", "vcp_{U40+}", "vck_{U40+}", "vca_{U40+}", "vci_{U40+}", "vcr_{U40+}", "nfp_{A36}", "fm2_{W80+}",
            "fm1a_{W80+}", "fm1r_{W80+}", "fo1_{U40+}", "rnd_{A28}", "sbp_{H40}", "sb_secret_{U20+}",
        ],
        examples: &["FLY_API_TOKEN=«fm2_{B120}»"],
        near: &["sb_publishable_{U22}_{U8}", "rnd_seed", "nfp_x"],
    },
    Kind { name: "cloudflare-token", shapes: &["cfut_{A40+}", "cfat_{A40+}", "cfk_{A40+}", "v1.0-{H24}-{H100+}"], examples: &[], near: &["v1.0-beta"] },
    Kind {
        name: "database-token",
        shapes: &[
            "pscale_tkn_{V30+}", "pscale_oauth_{V30+}", "pscale_pw_{V30+}", "napi_{A40+}", "mdb_sa_sk_{U30+}", "dapi{H32}", "dapi{H32}-{D1}",
            "essu_{W40+}",
        ],
        examples: &[],
        near: &["napi_env", "dapible"],
    },
    Kind {
        name: "hashicorp-token",
        shapes: &["hvs.{U15+}", "hvb.{U60+}", "hvr.{U15+}", "{A14}.atlasv1.{U50+}"],
        examples: &["tfe_token: «{A14}.atlasv1.{U67}»"],
        near: &["hvs.x", "see .atlasv1. for more"],
    },
    Kind {
        name: "secret-store-token",
        shapes: &["dp.pt.{A36+}", "dp.st.{A36+}", "dp.st.{U1-40}.{A36+}", "dp.ct.{A36+}", "dp.sa.{A36+}", "pul-{H40}", "tskey-{L3-12}-{A8+}-{A20+}"],
        examples: &["tailscale up --authkey «tskey-auth-k{A8}CNTRL-{A28}»"],
        near: &["dp.st.name", "pul-lover"],
    },
];
