//! Providers of models, messaging, payment, monitoring and work tools; keys of no provider.

use super::Kind;

/// The rows.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "anthropic-key",
        shapes: &["sk-ant-{L2-8}{D2}-{U30+}", "sk-ant-{U40+}"],
        examples: &["x-api-key: «sk-ant-api03-{U93}AA»"],
        near: &["matches /sk-ant-api03-[\\w-]{93}AA/", "sk-ant-api03-..."],
    },
    Kind {
        name: "openai-key",
        shapes: &["sk-proj-{U30+}", "sk-svcacct-{U30+}", "sk-admin-{U30+}", "sk-{A20}T3BlbkFJ{A20}"],
        examples: &["OPENAI_API_KEY=«sk-proj-{U58}T3BlbkFJ{U58}»"],
        near: &["sk-proj-...", "task-proj-{U58}"],
    },
    Kind {
        name: "model-provider-key",
        shapes: &[
            "sk-or-v1-{H64}", "sk-lf-{U36}", "sk-{A32+}", "gsk_{A52}", "xai-{A60+}", "pplx-{A40+}", "csk-{A48}", "tgp_v1_{U40+}", "hf_{A34}",
            "api_org_{A34}", "r8_{A37}", "nvapi-{U60+}", "pcsk_{A4-8}_{A50+}", "lsv2_pt_{H32}_{H10}", "lsv2_sk_{H32}_{H10}",
            "tvly-{A24+}", "tvly-dev-{A24+}", "llx-{A40+}", "sk_{H48}", "wandb_v1_{A30+}",
        ],
        examples: &["see `«hf_{A34}»`."],
        near: &["pk-lf-{H8}-0000", "sk-learn-things", "hf_hub_download"],
    },
    Kind {
        name: "slack-token",
        shapes: &[
            "xoxb-{U20+}", "xoxp-{U20+}", "xoxa-{U20+}", "xoxr-{U20+}", "xoxs-{U20+}", "xoxo-{U20+}", "xoxc-{U20+}", "xoxd-{P20+}",
            "xoxe.xoxp-{U20+}", "xoxe.xoxb-{U20+}", "xoxe-{U20+}", "xapp-{U20+}",
        ],
        examples: &[],
        near: &["xoxb-..."],
    },
    Kind {
        name: "webhook",
        shapes: &[
            "hooks.slack.com/services/|T{A6+}/B{A6+}/{A16+}", "hooks.slack.com/workflows/|T{A6+}/{A6+}/{P16+}",
            "discord.com/api/webhooks/|{D10+}/{U40+}", "discordapp.com/api/webhooks/|{D10+}/{U40+}", "webhook.office.com/webhookb2/|{P40+}",
        ],
        examples: &["POST https://hooks.slack.com/services/«T{S10}/B{S10}/{A24}» 200"],
        near: &["https://hooks.slack.com/services/T000/B000/XXX", "https://discord.com/api/webhooks/docs"],
    },
    Kind { name: "telegram-token", shapes: &["{D8-10}:AA{U33}"], examples: &["bot «{D10}:AA{U33}»"], near: &["12:AA:BB"] },
    Kind {
        name: "payment-key",
        shapes: &[
            "sk_live_{A16+}", "sk_test_{A16+}", "rk_live_{A16+}", "rk_test_{A16+}", "whsec_{B24+}", "EAAA{U60}", "sq0atp-{U20+}", "sq0csp-{U40+}",
            "access_token$production${A16}${H32}", "access_token$sandbox${A16}${H32}",
        ],
        examples: &[],
        near: &["pk_test_{A24}", "cus_{A14} pi_{A24}", "sk_test_key"],
    },
    Kind { name: "shop-token", shapes: &["shpat_{H32}", "shpca_{H32}", "shppa_{H32}", "shpss_{H32}"], examples: &[], near: &["shpat_"] },
    Kind {
        name: "mail-key",
        shapes: &["SG.{U20-24}.{U40+}", "key-{H32}", "{H32}-us{D1-2}", "re_{A8}_{A24}", "xkeysib-{H64}-{A16}", "xsmtpsib-{H64}-{A16}"],
        examples: &["MAILCHIMP=«{H32}-us12»"],
        near: &["a non-user", "eu-us1", "re_export"],
    },
    Kind { name: "twilio-key", shapes: &["SK{H32}"], examples: &[], near: &["AC{H32}", "TASK", "SK"] },
    Kind {
        name: "monitoring-key",
        shapes: &[
            "glsa_{A32}_{H8}", "glc_eyJ{W40+}", "sntrys_{W60+}", "sntryu_{H64}", "NRAK-{A27}", "{H36}NRAL", "{H36}FFFFNRAL", "NRII-{U30+}",
            "phx_{A40+}", "hcaik_{A40+}", "eyJrIjoi{W60+}",
        ],
        examples: &["license_key: «{H36}NRAL»"],
        near: &["phc_{A43}", "GENERAL", "NRAL"],
    },
    Kind {
        name: "work-tool-token",
        shapes: &[
            "lin_api_{A32+}", "ntn_{A40+}", "secret_{A43}", "pat{A14}.{H64}", "2/{D16}/{D16}:{H32}", "figd_{U40}", "sl.{U130+}", "sl.u.{U130+}",
            "PMAK-{H24}-{H34}",
        ],
        examples: &["key «secret_{A43}»"],
        near: &["secret_name", "pattern.x", "path.{A64}"],
    },
    Kind {
        name: "identity-key",
        shapes: &[
            "ops_eyJ{W100+}", "A3-{S6}-{A6}-{A5}-{A5}-{A5}-{A5}", "A3-{A6}-{A11}-{A5}-{A5}-{A5}", "sk.eyJ{V30+}", "api-{H8}-{H4}-{H4}-{H4}-{H12}",
            "sdk-{H8}-{H4}-{H4}-{H4}-{H12}",
        ],
        examples: &[],
        near: &["pk.eyJ1Ijoi{A30}", "A3-paper", "sdk-tools"],
    },
    Kind { name: "social-token", shapes: &["EAA{A100+}", "AAAAAAAAAAAAAAAAAAAAA{P60+}"], examples: &[], near: &["EAAA"] },
    Kind {
        name: "wallet-key",
        shapes: &["AGE-SECRET-KEY-1{A40+}", "nsec1{N58}", "xprv{A100+}", "tprv{A100+}", "zprv{A100+}"],
        examples: &[],
        near: &["nsec1", "age1{N58}", "npub1{N58}", "xpub{A107}"],
    },
];
