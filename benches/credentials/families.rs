//! Families of credentials as forms for made-up ones: written from the formats' descriptions and not from the table of
//! kinds, so that a gap of the table shows.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};

use super::dice::Dice;
use super::sums;

/// How the token of a family is made.
#[derive(Clone, Copy)]
pub enum Form {
    /// A form with runs.
    Plain(&'static str),
    /// A form whose end is a checksum of what stands before.
    Summed(&'static str, fn(&str) -> String),
    /// Anything else.
    Made(fn(&mut Dice) -> String),
}

/// One family.
#[derive(Clone, Copy)]
pub struct Family {
    pub name: &'static str,
    /// The name beside which such a token stands.
    pub variable: &'static str,
    pub form: Form,
    /// A mark of its own tells it from other text, so that it is looked for without its name, too.
    pub marked: bool,
}

impl Family {
    pub fn token(&self, dice: &mut Dice) -> String {
        match self.form {
            Form::Plain(form) => dice.fill(form),
            Form::Summed(form, sum) => {
                let token = dice.fill(form);
                let sum = sum(&token);
                token + &sum
            }
            Form::Made(make) => make(dice),
        }
    }
}

const fn marked(name: &'static str, variable: &'static str, form: &'static str) -> Family {
    Family { name, variable, form: Form::Plain(form), marked: true }
}

const fn named(name: &'static str, variable: &'static str, form: &'static str) -> Family {
    Family { name, variable, form: Form::Plain(form), marked: false }
}

const fn summed(
    name: &'static str,
    variable: &'static str,
    form: &'static str,
    sum: fn(&str) -> String,
) -> Family {
    Family { name, variable, form: Form::Summed(form, sum), marked: true }
}

const fn made(name: &'static str, variable: &'static str, make: fn(&mut Dice) -> String) -> Family {
    Family { name, variable, form: Form::Made(make), marked: true }
}

/// All families whose tokens stand alone.
pub const FAMILIES: &[Family] = &[
    summed("github-pat", "GITHUB_TOKEN", "ghp_{A30}", sums::behind_mark),
    summed("github-oauth", "GH_TOKEN", "gho_{A30}", sums::behind_mark),
    summed("github-user", "GITHUB_TOKEN", "ghu_{A30}", sums::behind_mark),
    summed("github-server", "GITHUB_TOKEN", "ghs_{A30}", sums::behind_mark),
    summed("github-refresh", "GITHUB_REFRESH_TOKEN", "ghr_{A30}", sums::behind_mark),
    made("github-app-jwt", "GITHUB_TOKEN", |dice| format!("ghs_{}_{}", dice.fill("{D6-7}"), jwt(dice))),
    marked("github-fine-grained", "GITHUB_PAT", "github_pat_{A22}_{A59}"),
    marked("gitlab-pat", "GITLAB_TOKEN", "glpat-{U20}"),
    marked("gitlab-deploy", "GITLAB_DEPLOY_TOKEN", "gldt-{U20}"),
    marked("gitlab-runner", "RUNNER_TOKEN", "glrt-{U20}"),
    marked("gitlab-feed", "GITLAB_FEED_TOKEN", "glft-{U20}"),
    marked("gitlab-scim", "GITLAB_SCIM_TOKEN", "glsoat-{U20}"),
    marked("gitlab-feature", "GITLAB_FLAGS_TOKEN", "glffct-{U20}"),
    marked("gitlab-registration", "GITLAB_RUNNER_TOKEN", "glrtr-{U20}"),
    marked("gitlab-workload", "GITLAB_TOKEN", "glwt-{U20}"),
    summed("gitlab-routable", "GITLAB_TOKEN", "glpat-{U43}.01.1a1", sums::base36),
    summed("gitlab-routable-long", "RUNNER_TOKEN", "glrt-t1_{U100-270}.01.6z0", sums::base36),
    summed("gitlab-routable-2024", "GITLAB_TOKEN", "glpat-{U27-60}.1a1", sums::base36),
    marked("gitlab-job", "CI_JOB_TOKEN", "glcbt-{H1-5}_{A20}"),
    marked("gitlab-trigger", "GITLAB_TRIGGER_TOKEN", "glptt-{H40}"),
    marked("gitlab-agent", "GITLAB_AGENT_TOKEN", "glagent-{U50-60}"),
    marked("gitlab-app", "GITLAB_APP_SECRET", "gloas-{H64}"),
    marked("gitlab-mail", "GITLAB_MAIL_TOKEN", "glimt-{U25}"),
    marked("gitlab-old-registration", "REGISTRATION_TOKEN", "GR1348941{U20}"),
    summed("bitbucket-app", "BITBUCKET_APP_PASSWORD", "ATBB{A24}", sums::upper_hex),
    summed("bitbucket-api", "BITBUCKET_TOKEN", "ATCTT3x{U170}=", sums::upper_hex),
    made("bitbucket-server", "BITBUCKET_TOKEN", |dice| {
        format!("BBDC-{}", BASE64.encode(&[dice.fill("{D12}:").into_bytes(), bytes(dice, 20)].concat()))
    }),
    summed("atlassian", "JIRA_API_TOKEN", "ATATT3{U177}=", sums::upper_hex),
    marked("azure-devops", "AZURE_DEVOPS_PAT", "{A52}JQQJ99{A18}AZDO{A4}"),
    Family {
        name: "azure-devops-old",
        variable: "AZURE_DEVOPS_EXT_PAT",
        form: Form::Made(sums::devops),
        marked: false,
    },
    marked("circleci", "CIRCLECI_TOKEN", "CCIPAT_{A22}_{H40}"),
    marked("circleci-project", "CIRCLE_TOKEN", "CCIPRJ_{A22}_{H40}"),
    marked("buildkite", "BUILDKITE_API_TOKEN", "bkua_{H40}"),
    marked("buildkite-agent", "BUILDKITE_AGENT_TOKEN", "bkct_{H40}"),
    named("travis", "TRAVIS_TOKEN", "{A22}"),
    named("codecov", "CODECOV_TOKEN", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    named("snyk", "SNYK_TOKEN", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    marked("sonar-user", "SONAR_TOKEN", "squ_{H40}"),
    marked("sonar-project", "SONAR_TOKEN", "sqp_{H40}"),
    marked("sourcegraph", "SRC_ACCESS_TOKEN", "sgp_{H16}_{H40}"),
    marked("sourcegraph-short", "SRC_ACCESS_TOKEN", "sgp_{H40}"),
    named("drone", "DRONE_TOKEN", "{A32}"),
    summed("npm", "NPM_TOKEN", "npm_{A30}", sums::behind_mark),
    made("pypi", "TWINE_PASSWORD", |dice| macaroon(dice, "pypi.org")),
    made("testpypi", "TWINE_PASSWORD", |dice| macaroon(dice, "test.pypi.org")),
    marked("crates-io", "CARGO_REGISTRY_TOKEN", "cio{A32}"),
    marked("rubygems", "GEM_HOST_API_KEY", "rubygems_{H48}"),
    marked("nuget", "NUGET_API_KEY", "oy2{R43}"),
    marked("clojars", "CLOJARS_PASSWORD", "CLOJARS_{H60}"),
    marked("docker-pat", "DOCKER_TOKEN", "dckr_pat_{U27}"),
    marked("docker-org", "DOCKER_TOKEN", "dckr_oat_{U32}"),
    marked("swarm-join", "SWARM_TOKEN", "SWMTKN-1-{N50}-{N25}"),
    marked("swarm-unlock", "SWARM_KEY", "SWMKEY-1-{B43}"),
    marked("jfrog-api", "ARTIFACTORY_API_KEY", "AKCp{K69}"),
    made("jfrog-reference", "JFROG_TOKEN", |dice| {
        BASE64_NOPAD.encode(dice.fill("reftkn:01:{D10}:{A28}").as_bytes())
    }),
    marked("aws-key-id", "AWS_ACCESS_KEY_ID", "AKIA{S16}"),
    marked("aws-temporary-id", "AWS_ACCESS_KEY_ID", "ASIA{S16}"),
    marked("aws-bearer-id", "AWS_ACCESS_KEY_ID", "ABIA{S16}"),
    marked("aws-context-id", "AWS_ACCESS_KEY_ID", "ACCA{S16}"),
    named("aws-secret", "AWS_SECRET_ACCESS_KEY", "{B40}"),
    marked("aws-session", "AWS_SESSION_TOKEN", "IQoJb3JpZ2luX2Vj{B300-500}"),
    marked("aws-session-old", "AWS_SESSION_TOKEN", "FwoGZXIvYXdzE{B200-300}"),
    made("aws-bedrock", "AWS_BEARER_TOKEN_BEDROCK", |dice| {
        let key = dice.fill("BedrockAPIKey-{N4}-at-{D12}:{B100-150}");
        format!("ABSK{}", BASE64_NOPAD.encode(key.as_bytes()))
    }),
    marked("aws-bedrock-short", "AWS_BEARER_TOKEN_BEDROCK", "bedrock-api-key-{B200}"),
    marked("google-api", "GOOGLE_API_KEY", "AIza{U35}"),
    marked("google-client", "GOOGLE_CLIENT_SECRET", "GOCSPX-{U28}"),
    marked("google-access", "GOOGLE_ACCESS_TOKEN", "ya29.{U150}"),
    marked("google-refresh", "GOOGLE_REFRESH_TOKEN", "1//0{U50-90}"),
    marked("gemini", "GEMINI_API_KEY", "AQ.Ab8RN6{U44}"),
    made("azure-storage", "AZURE_STORAGE_KEY", |dice| sums::azure(dice, 64, "+ASt", sums::STORAGE)),
    made("azure-batch", "AZURE_BATCH_KEY", |dice| sums::azure(dice, 64, "+ABa", sums::BATCH)),
    made("azure-cosmos", "COSMOS_KEY", |dice| sums::azure(dice, 64, "ACDb", sums::COSMOS)),
    made("azure-ml", "AZURE_ML_KEY", |dice| sums::azure(dice, 64, "+AMC", sums::STORAGE)),
    made("azure-apim", "APIM_KEY", |dice| sums::azure(dice, 64, "APIM", sums::STORAGE)),
    made("azure-bus", "SERVICEBUS_KEY", |dice| sums::azure(dice, 32, "+ASb", sums::BUS)),
    made("azure-hub", "EVENTHUB_KEY", |dice| sums::azure(dice, 32, "+AEh", sums::BUS)),
    made("azure-relay", "RELAY_KEY", |dice| sums::azure(dice, 32, "+ARm", sums::BUS)),
    made("azure-iot", "IOTHUB_KEY", |dice| sums::azure(dice, 32, "AIoT", sums::IOT)),
    made("azure-redis", "AZURE_REDIS_KEY", |dice| sums::azure(dice, 32, "AzCa", sums::REDIS)),
    made("azure-search", "AZURE_SEARCH_KEY", |dice| sums::azure(dice, 39, "AzSe", sums::SEARCH)),
    made("azure-registry", "ACR_PASSWORD", |dice| sums::azure(dice, 39, "+ACR", sums::REGISTRY)),
    made("azure-function", "AZURE_FUNCTION_KEY", |dice| sums::azure(dice, 40, "AzFu", sums::FUNCTION)),
    marked("azure-annotated", "AZURE_OPENAI_API_KEY", "{A52}JQQJ99{J2}{A12}{A4}ACOG{A4}"),
    marked("azure-annotated-long", "AZURE_OPENAI_API_KEY", "{A52}JQQJ99{J2}{A12}{A4}ACOG{A8}"),
    marked("azure-client-7", "AZURE_CLIENT_SECRET", "{A3}7Q~{M31}"),
    marked("azure-client-8", "AZURE_CLIENT_SECRET", "{A3}8Q~{M34}"),
    marked("alibaba-id", "ALIBABA_CLOUD_ACCESS_KEY_ID", "LTAI{A16-20}"),
    named("alibaba-secret", "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "{A30}"),
    marked("tencent-id", "TENCENTCLOUD_SECRET_ID", "AKID{A32}"),
    named("tencent-key", "TENCENTCLOUD_SECRET_KEY", "{A32}"),
    marked("yandex-key", "YANDEX_API_KEY", "AQVN{U35-38}"),
    named("yandex-token", "YC_TOKEN", "t1.{U60-80}.{U86}"),
    named("ibm", "IBMCLOUD_API_KEY", "{U44}"),
    marked("digitalocean", "DIGITALOCEAN_TOKEN", "dop_v1_{H64}"),
    marked("digitalocean-oauth", "DO_TOKEN", "doo_v1_{H64}"),
    marked("digitalocean-refresh", "DO_REFRESH_TOKEN", "dor_v1_{H64}"),
    marked("heroku", "HEROKU_API_KEY", "HRKU-AA{U58}"),
    named("heroku-old", "HEROKU_API_KEY", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    marked("vercel", "VERCEL_TOKEN", "vcp_{U56}"),
    marked("vercel-key", "VERCEL_TOKEN", "vck_{U56}"),
    named("vercel-old", "VERCEL_TOKEN", "{A24}"),
    marked("netlify", "NETLIFY_AUTH_TOKEN", "nfp_{A36}"),
    marked("cloudflare", "CLOUDFLARE_API_TOKEN", "cfut_{A40}{H8}"),
    marked("cloudflare-account", "CLOUDFLARE_API_TOKEN", "cfat_{A40}{H8}"),
    marked("cloudflare-key", "CLOUDFLARE_API_KEY", "cfk_{A40}{H8}"),
    named("cloudflare-old", "CF_API_TOKEN", "{U40}"),
    named("cloudflare-global", "CLOUDFLARE_API_KEY", "{H37}"),
    marked("cloudflare-origin", "CF_ORIGIN_KEY", "v1.0-{H24}-{H146}"),
    marked("fly", "FLY_API_TOKEN", "fm2_{B120-200}"),
    marked("fly-list", "FLY_API_TOKEN", "fm1a_{B120}"),
    marked("fly-refresh", "FLY_API_TOKEN", "fm1r_{B120}"),
    marked("fly-old", "FLY_ACCESS_TOKEN", "fo1_{U43}"),
    marked("render", "RENDER_API_KEY", "rnd_{A28}"),
    marked("supabase", "SUPABASE_ACCESS_TOKEN", "sbp_{H40}"),
    marked("supabase-secret", "SUPABASE_SECRET_KEY", "sb_secret_{U22}_{U8}"),
    marked("planetscale", "PLANETSCALE_TOKEN", "pscale_tkn_{U43}"),
    marked("planetscale-oauth", "PLANETSCALE_TOKEN", "pscale_oauth_{U32-64}"),
    marked("planetscale-password", "DATABASE_PASSWORD", "pscale_pw_{U43}"),
    marked("neon", "NEON_API_KEY", "napi_{A64}"),
    marked("atlas", "MONGODB_ATLAS_CLIENT_SECRET", "mdb_sa_sk_{U40}"),
    marked("databricks", "DATABRICKS_TOKEN", "dapi{H32}"),
    marked("databricks-2", "DATABRICKS_TOKEN", "dapi{H32}-{D1}"),
    marked("elastic", "ELASTIC_API_KEY", "essu_{U60-80}"),
    marked("vault", "VAULT_TOKEN", "hvs.{U90-95}"),
    marked("vault-short", "VAULT_TOKEN", "hvs.{A24}"),
    marked("vault-batch", "VAULT_TOKEN", "hvb.{U138-160}"),
    marked("vault-recovery", "VAULT_TOKEN", "hvr.{U90}"),
    named("vault-old", "VAULT_TOKEN", "s.{A24}"),
    marked("terraform", "TFE_TOKEN", "{A14}.atlasv1.{U67}"),
    named("consul", "CONSUL_HTTP_TOKEN", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    marked("doppler", "DOPPLER_TOKEN", "dp.pt.{A40-44}"),
    marked("doppler-service", "DOPPLER_TOKEN", "dp.st.prd_main.{A40-44}"),
    marked("doppler-cli", "DOPPLER_TOKEN", "dp.ct.{A40}"),
    marked("doppler-account", "DOPPLER_TOKEN", "dp.sa.{A40}"),
    marked("pulumi", "PULUMI_ACCESS_TOKEN", "pul-{H40}"),
    marked("tailscale", "TS_AUTHKEY", "tskey-auth-k{A10}CNTRL-{A28-32}"),
    named("ngrok", "NGROK_AUTHTOKEN", "{A27}_{A21}"),
    marked("anthropic", "ANTHROPIC_API_KEY", "sk-ant-api03-{U93}AA"),
    marked("anthropic-admin", "ANTHROPIC_ADMIN_KEY", "sk-ant-admin01-{U93}AA"),
    marked("anthropic-oauth", "CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-{U93}AA"),
    marked("anthropic-refresh", "CLAUDE_REFRESH_TOKEN", "sk-ant-ort01-{U93}AA"),
    marked("anthropic-session", "SESSION_KEY", "sk-ant-sid02-{U93}AA"),
    marked("openai-project", "OPENAI_API_KEY", "sk-proj-{U74}T3BlbkFJ{U74}"),
    marked("openai-service", "OPENAI_API_KEY", "sk-svcacct-{U58}T3BlbkFJ{U58}"),
    marked("openai-admin", "OPENAI_ADMIN_KEY", "sk-admin-{U20}T3BlbkFJ{U20}"),
    marked("openai-old", "OPENAI_API_KEY", "sk-{A20}T3BlbkFJ{A20}"),
    marked("openai-refresh", "refresh_token", "rt_{U60-90}"),
    marked("openrouter", "OPENROUTER_API_KEY", "sk-or-v1-{H64}"),
    marked("deepseek", "DEEPSEEK_API_KEY", "sk-{H32}"),
    marked("moonshot", "MOONSHOT_API_KEY", "sk-{A48}"),
    marked("groq", "GROQ_API_KEY", "gsk_{A52}"),
    marked("xai", "XAI_API_KEY", "xai-{A80}"),
    marked("perplexity", "PERPLEXITY_API_KEY", "pplx-{A48}"),
    marked("cerebras", "CEREBRAS_API_KEY", "csk-{N48}"),
    marked("together", "TOGETHER_API_KEY", "tgp_v1_{U43}"),
    marked("huggingface", "HF_TOKEN", "hf_{G34}"),
    marked("huggingface-org", "HF_TOKEN", "api_org_{G34}"),
    marked("replicate", "REPLICATE_API_TOKEN", "r8_{A37}"),
    marked("nvidia", "NVIDIA_API_KEY", "nvapi-{U64}"),
    marked("pinecone", "PINECONE_API_KEY", "pcsk_{A6}_{A63}"),
    marked("langsmith", "LANGSMITH_API_KEY", "lsv2_pt_{H32}_{H10}"),
    marked("langsmith-service", "LANGSMITH_API_KEY", "lsv2_sk_{H32}_{H10}"),
    marked("langfuse", "LANGFUSE_SECRET_KEY", "sk-lf-{H8}-{H4}-{H4}-{H4}-{H12}"),
    marked("tavily", "TAVILY_API_KEY", "tvly-{A24-32}"),
    marked("tavily-dev", "TAVILY_API_KEY", "tvly-dev-{A32}"),
    marked("llamacloud", "LLAMA_CLOUD_API_KEY", "llx-{A48}"),
    marked("elevenlabs", "ELEVENLABS_API_KEY", "sk_{H48}"),
    named("cohere", "COHERE_API_KEY", "{A40}"),
    named("mistral", "MISTRAL_API_KEY", "{A32}"),
    named("voyage", "VOYAGE_API_KEY", "pa-{U43}"),
    named("wandb", "WANDB_API_KEY", "{H40}"),
    marked("wandb-new", "WANDB_API_KEY", "wandb_v1_{A40}"),
    named("cursor", "CURSOR_API_KEY", "key_{H64}"),
    marked("slack-bot", "SLACK_BOT_TOKEN", "xoxb-{D12}-{D13}-{A24}"),
    marked("slack-user", "SLACK_USER_TOKEN", "xoxp-{D12}-{D12}-{D13}-{H32}"),
    marked("slack-app-old", "SLACK_TOKEN", "xoxa-2-{D12}-{D12}-{D13}-{H32}"),
    marked("slack-refresh", "SLACK_REFRESH_TOKEN", "xoxr-{D12}-{D12}-{A24}"),
    marked("slack-config", "SLACK_CONFIG_TOKEN", "xoxe.xoxp-1-{A163}"),
    marked("slack-config-refresh", "SLACK_CONFIG_REFRESH", "xoxe-1-{A146}"),
    marked("slack-app", "SLACK_APP_TOKEN", "xapp-1-A0{J9}-{D13}-{H64}"),
    marked("slack-client", "SLACK_XOXC_TOKEN", "xoxc-{D12}-{D12}-{D12}-{H64}"),
    marked("slack-cookie", "SLACK_COOKIE", "xoxd-{A20}%2B{A40}%2F{A30}%3D"),
    made("discord-bot", "DISCORD_TOKEN", |dice| {
        let mut snowflake = dice.fill("{D17}");
        snowflake.insert(0, *dice.one(&['1', '2', '3', '4', '5', '6', '7', '8']));
        format!("{}.{}", BASE64_NOPAD.encode(snowflake.as_bytes()), dice.fill("{U6}.{U38}"))
    }),
    marked("telegram", "TELEGRAM_BOT_TOKEN", "{D10}:AA{U33}"),
    marked("stripe", "STRIPE_SECRET_KEY", "sk_live_{A24}"),
    marked("stripe-long", "STRIPE_SECRET_KEY", "sk_live_51{A97}"),
    marked("stripe-test", "STRIPE_SECRET_KEY", "sk_test_{A24}"),
    marked("stripe-restricted", "STRIPE_API_KEY", "rk_live_{A24}"),
    marked("stripe-restricted-test", "STRIPE_API_KEY", "rk_test_{A24}"),
    marked("stripe-webhook", "STRIPE_WEBHOOK_SECRET", "whsec_{B32}"),
    marked("square", "SQUARE_ACCESS_TOKEN", "EAAA{U60}"),
    marked("square-app", "SQUARE_TOKEN", "sq0atp-{U22}"),
    marked("square-secret", "SQUARE_SECRET", "sq0csp-{U43}"),
    marked("paypal", "BRAINTREE_ACCESS_TOKEN", "access_token$production${N16}${H32}"),
    marked("shopify", "SHOPIFY_ACCESS_TOKEN", "shpat_{H32}"),
    marked("shopify-custom", "SHOPIFY_ACCESS_TOKEN", "shpca_{H32}"),
    marked("shopify-private", "SHOPIFY_PASSWORD", "shppa_{H32}"),
    marked("shopify-secret", "SHOPIFY_API_SECRET", "shpss_{H32}"),
    marked("sendgrid", "SENDGRID_API_KEY", "SG.{U22}.{U43}"),
    marked("mailgun", "MAILGUN_API_KEY", "key-{H32}"),
    marked("mailchimp", "MAILCHIMP_API_KEY", "{H32}-us{D1-2}"),
    marked("resend", "RESEND_API_KEY", "re_{A8}_{A24}"),
    marked("brevo", "BREVO_API_KEY", "xkeysib-{H64}-{A16}"),
    named("postmark", "POSTMARK_SERVER_TOKEN", "{H8}-{H4}-{H4}-{H4}-{H12}"),
    marked("twilio-key", "TWILIO_API_KEY", "SK{H32}"),
    named("twilio-auth", "TWILIO_AUTH_TOKEN", "{H32}"),
    summed("grafana-account", "GRAFANA_TOKEN", "glsa_{A32}_", sums::little_hex),
    made("grafana-cloud", "GRAFANA_CLOUD_TOKEN", |dice| {
        let json = dice.fill(r#"{"o":"{D6}","n":"prod","k":"{A24}","m":{"r":"us"}}"#);
        format!("glc_{}", BASE64.encode(json.as_bytes()))
    }),
    made("grafana-old", "GRAFANA_API_KEY", |dice| {
        BASE64.encode(dice.fill(r#"{"k":"{A32}","n":"prod","id":1}"#).as_bytes())
    }),
    made("sentry-org", "SENTRY_AUTH_TOKEN", |dice| {
        let json = dice.fill(r#"{"iat":{D10}.{D6},"url":"https://sentry.io","region_url":"https://us.sentry.io","org":"acme"}"#);
        format!("sntrys_{}_{}", BASE64.encode(json.as_bytes()), dice.fill("{B43}"))
    }),
    marked("sentry-user", "SENTRY_AUTH_TOKEN", "sntryu_{H64}"),
    named("datadog-api", "DD_API_KEY", "{H32}"),
    named("datadog-app", "DD_APP_KEY", "{H40}"),
    marked("newrelic-user", "NEW_RELIC_API_KEY", "NRAK-{J27}"),
    marked("newrelic-license", "NEW_RELIC_LICENSE_KEY", "{H36}NRAL"),
    marked("newrelic-insert", "NEW_RELIC_INSERT_KEY", "NRII-{U32}"),
    marked("posthog", "POSTHOG_PERSONAL_API_KEY", "phx_{A41-49}"),
    marked("honeycomb", "HONEYCOMB_API_KEY", "hcaik_{N58}"),
    marked("linear", "LINEAR_API_KEY", "lin_api_{A40}"),
    marked("notion", "NOTION_TOKEN", "ntn_{D11}{A35}"),
    marked("notion-old", "NOTION_API_KEY", "secret_{A43}"),
    marked("airtable", "AIRTABLE_API_KEY", "pat{A14}.{H64}"),
    marked("asana", "ASANA_PAT", "2/{D16}/{D16}:{H32}"),
    marked("figma", "FIGMA_TOKEN", "figd_{U40}"),
    marked("dropbox", "DROPBOX_ACCESS_TOKEN", "sl.{U136}"),
    marked("dropbox-short", "DROPBOX_ACCESS_TOKEN", "sl.u.{U136}"),
    marked("postman", "POSTMAN_API_KEY", "PMAK-{H24}-{H34}"),
    named("pagerduty", "PAGERDUTY_TOKEN", "u+{U18}"),
    made("onepassword-service", "OP_SERVICE_ACCOUNT_TOKEN", |dice| {
        let json = dice.fill(r#"{"signInAddress":"my.1password.com","userAuth":{"method":"SRPg-4096","salt":"{U22}"},"email":"a@b.invalid","srpX":"{H64}","secretKey":"A3-{J6}","deviceUuid":"{R26}"}"#);
        format!("ops_{}", BASE64_NOPAD.encode(json.as_bytes()))
    }),
    marked("onepassword-key", "OP_SECRET_KEY", "A3-{J6}-{J6}-{J5}-{J5}-{J5}"),
    named("bitwarden", "BWS_ACCESS_TOKEN", "0.{H8}-{H4}-{H4}-{H4}-{H12}.{A30}:{B22}=="),
    named("launchdarkly-api", "LD_API_KEY", "api-{H8}-{H4}-{H4}-{H4}-{H12}"),
    named("launchdarkly-sdk", "LAUNCHDARKLY_SDK_KEY", "sdk-{H8}-{H4}-{H4}-{H4}-{H12}"),
    named("okta", "OKTA_API_TOKEN", "00{U40}"),
    named("auth0", "AUTH0_CLIENT_SECRET", "{U64}"),
    named("algolia", "ALGOLIA_ADMIN_KEY", "{H32}"),
    made("mapbox", "MAPBOX_SECRET_TOKEN", |dice| {
        let json = dice.fill(r#"{"u":"acme","a":"{N25}"}"#);
        format!("sk.{}.{}", BASE64URL_NOPAD.encode(json.as_bytes()), dice.fill("{U22}"))
    }),
    marked("facebook", "FB_ACCESS_TOKEN", "EAA{A150-200}"),
    marked("x-bearer", "TWITTER_BEARER_TOKEN", "AAAAAAAAAAAAAAAAAAAAA{A20}%2F{A30}%3D{A40}"),
    made("jwt", "ACCESS_TOKEN", jwt),
    made("jwt-unsigned", "ID_TOKEN", |dice| {
        let token = jwt(dice);
        token.rsplit_once('.').map_or_else(String::new, |(signed, _)| format!("{signed}."))
    }),
    made("jwe", "ACCESS_TOKEN", |dice| jwe(dice, true)),
    made("jwe-direct", "ACCESS_TOKEN", |dice| jwe(dice, false)),
    marked("age", "AGE_KEY", "AGE-SECRET-KEY-1{T58}"),
    marked("nostr", "NOSTR_NSEC", "nsec1{C58}"),
    named("bitcoin", "BTC_WIF", "L{K51}"),
    named("bitcoin-old", "BTC_PRIVATE_KEY", "5{K50}"),
    marked("bip32", "XPRV", "xprv{K107}"),
    named("ethereum", "PRIVATE_KEY", "0x{H64}"),
    named("wireguard", "PrivateKey", "{B43}="),
    named("wireguard-psk", "PresharedKey", "{B43}="),
    named("fernet", "FERNET_KEY", "{U43}="),
    named("laravel", "APP_KEY", "base64:{B43}="),
    named("nextauth", "NEXTAUTH_SECRET", "{B43}="),
    named("password", "DB_PASSWORD", "{A12-20}"),
    named("password-signs", "ADMIN_PASSWORD", "{A5}!{A4}_{A3}"),
    named("hex-secret", "CLIENT_SECRET", "{H64}"),
    named("rails-master", "RAILS_MASTER_KEY", "{H32}"),
    named("rails-base", "SECRET_KEY_BASE", "{H128}"),
    named("kubeadm", "JOIN_TOKEN", "{N6}.{N16}"),
];

fn bytes(dice: &mut Dice, count: usize) -> Vec<u8> {
    (0..count).map(|_| u8::try_from(dice.below(256)).unwrap_or(0)).collect()
}

fn macaroon(dice: &mut Dice, site: &str) -> String {
    let mut body = vec![2, 1, u8::try_from(site.len()).unwrap_or(0)];
    body.extend(site.as_bytes());
    body.extend([2, 36]);
    body.extend(dice.fill("{H8}-{H4}-{H4}-{H4}-{H12}").as_bytes());
    body.extend([0, 2, 20]);
    body.extend(br#"{"version": 1, "x":1"#);
    body.extend([0, 0, 6, 32]);
    body.extend(bytes(dice, 32));
    format!("pypi-{}", BASE64URL_NOPAD.encode(&body))
}

fn jwt(dice: &mut Dice) -> String {
    let head = *dice.one(&[r#"{"alg":"HS256","typ":"JWT"}"#, r#"{"alg":"RS256","kid":"a1b2","typ":"JWT"}"#]);
    let body = dice.fill(r#"{"sub":"{D10}","iss":"https://id.example.invalid","jti":"{H32}"}"#);
    let encode = |text: &str| BASE64URL_NOPAD.encode(text.as_bytes());
    format!("{}.{}.{}", encode(head), encode(&body), dice.fill("{U43}"))
}

fn jwe(dice: &mut Dice, wrapped: bool) -> String {
    let head =
        if wrapped { r#"{"alg":"RSA-OAEP","enc":"A256GCM"}"# } else { r#"{"alg":"dir","enc":"A256GCM"}"# };
    let key = if wrapped { dice.fill("{U200}") } else { String::new() };
    format!("{}.{key}.{}", BASE64URL_NOPAD.encode(head.as_bytes()), dice.fill("{U16}.{U120}.{U22}"))
}
