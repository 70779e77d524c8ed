//! Code hosting, continuous integration and package registries.

use super::Kind;

/// The rows.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "github-token",
        shapes: &[
            "ghp_{A20+~36}",
            "gho_{A20+~36}",
            "ghu_{A20+~36}",
            "ghs_{A20+~36}",
            "ghr_{A20+~36}",
            "ghs_{D4+}_eyJ{V60+}",
            "github_pat_{A22}_{A30+~59}",
        ],
        examples: &[
            "remote: https://«ghp_{A36}»@github.com/a/b",
            "say \\\"«gho_{A36}»\\\" twice",
            "a\\n«ghs_{A36}»\\n",
        ],
        near: &[
            "pattern ghp_[A-Za-z0-9]{36}",
            "aghp_{A36}",
            "ghp_short",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
    },
    Kind {
        name: "gitlab-token",
        shapes: &[
            "glpat-{U27+}.{N2}.{N9}",
            "glpat-{U27+}.{N9}",
            "glpat-{V20+~20}",
            "gldt-{V20+~20}",
            "glrt-{U27+}.{N2}.{N9}",
            "glrt-{V20+~20}",
            "glft-{V20+~20}",
            "glsoat-{V20+~20}",
            "glffct-{V20+~20}",
            "glrtr-{V20+~20}",
            "glwt-{V20+~20}",
            "glcbt-{H1-5}_{A20}",
            "glcbt-{V20+}",
            "glptt-{H40}",
            "glagent-{U50+}",
            "gloas-{H64}",
            "glimt-{U25+~25}",
            "GR1348941{U20+~20}",
        ],
        examples: &["token «glpat-{U20}» and more", "«glpat-{U46}.01.1a1qs7sea»"],
        near: &["glpat-short", "glyph-{A20}"],
    },
    Kind {
        name: "bitbucket-token",
        shapes: &["ATBB{A24}{X8}", "ATBB{A32}", "ATCTT3x{W40+~179}", "BBDC-{B40-44}"],
        examples: &[],
        near: &["ATBBbb"],
    },
    Kind { name: "atlassian-token", shapes: &["ATATT3{W60+~186}"], examples: &[], near: &["ATATT3"] },
    Kind {
        name: "azure-devops-token",
        shapes: &["{A52}JQQJ99{A26}"],
        examples: &["pat: «{A52}JQQJ99{A18}AZDO{A4}»"],
        near: &["JQQJ99 alone"],
    },
    Kind {
        name: "ci-token",
        shapes: &[
            "CCIPAT_{A20+~22}_{H40}",
            "CCIPRJ_{A20+~22}_{H40}",
            "bkua_{H40}",
            "bkct_{H40}",
            "bkpi_{A40}",
        ],
        examples: &[],
        near: &["CCIPAT_a_b"],
    },
    Kind {
        name: "code-service-token",
        shapes: &["squ_{H40}", "sqp_{H40}", "sqa_{H40}", "sgp_{H40}", "sgp_{H16}_{H40}", "sgp_local_{H40}"],
        examples: &[],
        near: &["squ_are"],
    },
    Kind {
        name: "npm-token",
        shapes: &["npm_{A20+~36}"],
        examples: &["//host/:_authToken=«npm_{A36}»"],
        near: &["npm_config_cache"],
    },
    Kind {
        name: "pypi-token",
        shapes: &["pypi-AgEIcHlwaS5vcmc{U40+}", "pypi-AgENdGVzdC5weXBpLm9yZw{U40+}", "pypi-AgE{U80+}"],
        examples: &[],
        near: &["pypi-server"],
    },
    Kind {
        name: "cargo-token",
        shapes: &["cio{A32}"],
        examples: &["token = \"«cio{A32}»\""],
        near: &["social", "ciolino"],
    },
    Kind { name: "rubygems-key", shapes: &["rubygems_{H48}"], examples: &[], near: &["rubygems_org"] },
    Kind { name: "nuget-key", shapes: &["oy2{N43}"], examples: &[], near: &["oy2"] },
    Kind { name: "clojars-token", shapes: &["CLOJARS_{H60}"], examples: &[], near: &["CLOJARS_USERNAME"] },
    Kind {
        name: "docker-token",
        shapes: &[
            "dckr_pat_{U20+~27}",
            "dckr_oat_{U20+~32}",
            "SWMTKN-1-{A40-60}-{A20-30}",
            "SWMKEY-1-{B40+~43}",
        ],
        examples: &[],
        near: &["dckr_pat_"],
    },
    Kind {
        name: "jfrog-token",
        shapes: &["AKCp{A60+~69}", "cmVmdGtuOj{W40+}"],
        examples: &[],
        near: &["AKCp8"],
    },
];
