import { ALNUM, BASE64, DIGIT, DOT, EQUALS, HEX, HYPHEN, PLUS, SLASH, UPPER, URL64, WORD } from './chars.ts';

/** A token that says what it is by how it begins. */
export interface PrefixRule {
  kind: string;
  prefixes: readonly string[];
  /** Characters after the prefix, and how many. Without `max` the token is as long as these characters go on. */
  chars: number;
  min: number;
  max?: number;
  /** Length of most tokens after the prefix: over a line break no more than this is taken. */
  usual?: number;
  /** The prefix is no word of its own: it must not follow a letter, a digit or `_`. */
  alone?: true;
  /** Shape of the whole token. Anchored, and without nested repetition: tokens are short. */
  form?: RegExp;
}

/** A value that is a secret by the name it is given to: `heroku_api_key = …`. */
export interface NamedRule {
  kind: string;
  /** Lower case; found in any case. */
  names: readonly string[];
  chars: number;
  min: number;
  max?: number;
  form?: RegExp;
  /** Least entropy, bits per character. */
  entropy: number;
  /** Also found without `=` or `:` between name and value. */
  spaced?: true;
}

/** Tokens by prefix, longest prefix first where one begins like another. */
export const PREFIX_RULES: readonly PrefixRule[] = [
  {
    kind: 'aws_access_key',
    prefixes: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    chars: UPPER | DIGIT,
    min: 16,
    max: 16,
    alone: true,
  },
  { kind: 'github_token', prefixes: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], chars: ALNUM, min: 36, usual: 36 },
  { kind: 'github_token', prefixes: ['github_pat_'], chars: WORD, min: 60, usual: 82 },
  {
    kind: 'gitlab_token',
    prefixes: ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glft-', 'glagent-', 'gloas-', 'glsoat-'],
    chars: URL64 | DOT,
    min: 20,
    usual: 20,
  },
  { kind: 'anthropic_key', prefixes: ['sk-ant-'], chars: URL64, min: 32, alone: true },
  { kind: 'openrouter_key', prefixes: ['sk-or-v1-'], chars: HEX, min: 64, usual: 64, alone: true },
  {
    kind: 'openai_key',
    prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'],
    chars: URL64,
    min: 40,
    alone: true,
  },
  { kind: 'openai_key', prefixes: ['sk-'], chars: ALNUM, min: 32, usual: 48, alone: true },
  { kind: 'google_api_key', prefixes: ['AIza'], chars: URL64, min: 35, max: 35, alone: true },
  { kind: 'google_oauth_secret', prefixes: ['GOCSPX-'], chars: URL64, min: 28, usual: 28 },
  { kind: 'google_oauth_token', prefixes: ['ya29.'], chars: URL64, min: 40, alone: true },
  {
    kind: 'slack_token',
    prefixes: ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xoxo-', 'xoxe-', 'xoxe.'],
    chars: URL64 | DOT,
    min: 24,
  },
  { kind: 'slack_token', prefixes: ['xapp-'], chars: URL64, min: 40 },
  {
    kind: 'slack_webhook',
    prefixes: ['hooks.slack.com/services/', 'hooks.slack.com/workflows/'],
    chars: BASE64,
    min: 36,
  },
  {
    kind: 'discord_webhook',
    prefixes: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    chars: URL64 | SLASH,
    min: 70,
  },
  { kind: 'stripe_key', prefixes: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'], chars: ALNUM, min: 24 },
  { kind: 'stripe_webhook_secret', prefixes: ['whsec_'], chars: BASE64, min: 32 },
  { kind: 'twilio_key', prefixes: ['SK'], chars: HEX, min: 32, max: 32, alone: true },
  {
    kind: 'sendgrid_key',
    prefixes: ['SG.'],
    chars: URL64 | DOT,
    min: 50,
    usual: 66,
    alone: true,
    form: /^SG\.[\w-]{16,40}\.[\w-]{32,64}$/,
  },
  { kind: 'npm_token', prefixes: ['npm_'], chars: ALNUM, min: 36, usual: 36 },
  { kind: 'pypi_token', prefixes: ['pypi-AgEI'], chars: URL64, min: 50 },
  {
    kind: 'shopify_token',
    prefixes: ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shpua_'],
    chars: HEX,
    min: 32,
    usual: 32,
  },
  { kind: 'digitalocean_token', prefixes: ['dop_v1_', 'doo_v1_', 'dor_v1_'], chars: HEX, min: 64, usual: 64 },
  { kind: 'heroku_key', prefixes: ['HRKU-'], chars: URL64, min: 36 },
  { kind: 'mailgun_key', prefixes: ['key-'], chars: HEX, min: 32, max: 32, alone: true },
  { kind: 'mailchimp_key', prefixes: ['md-'], chars: URL64, min: 22, max: 22, alone: true },
  { kind: 'huggingface_token', prefixes: ['hf_', 'api_org_'], chars: ALNUM, min: 34, usual: 34, alone: true },
  { kind: 'databricks_token', prefixes: ['dapi'], chars: HEX | HYPHEN, min: 32, max: 34, alone: true },
  { kind: 'groq_key', prefixes: ['gsk_'], chars: ALNUM, min: 40, usual: 52, alone: true },
  { kind: 'xai_key', prefixes: ['xai-'], chars: ALNUM, min: 70, alone: true },
  { kind: 'perplexity_key', prefixes: ['pplx-'], chars: ALNUM, min: 40, alone: true },
  { kind: 'replicate_token', prefixes: ['r8_'], chars: ALNUM, min: 37, max: 40, alone: true },
  { kind: 'linear_key', prefixes: ['lin_api_', 'lin_oauth_'], chars: ALNUM, min: 40 },
  { kind: 'notion_token', prefixes: ['ntn_'], chars: ALNUM, min: 43, alone: true },
  { kind: 'figma_token', prefixes: ['figd_', 'figdr_'], chars: URL64, min: 38 },
  { kind: 'atlassian_token', prefixes: ['ATATT3', 'ATCTT3', 'ATBB'], chars: URL64 | EQUALS, min: 28, alone: true },
  { kind: 'vault_token', prefixes: ['hvs.', 'hvb.'], chars: URL64, min: 80, alone: true },
  { kind: 'grafana_token', prefixes: ['glsa_', 'glc_'], chars: WORD | PLUS | SLASH, min: 32, alone: true },
  { kind: 'postman_key', prefixes: ['PMAK-'], chars: HEX | HYPHEN, min: 59, usual: 59 },
  { kind: 'newrelic_key', prefixes: ['NRAK-'], chars: ALNUM, min: 27, max: 27 },
  {
    kind: 'planetscale_token',
    prefixes: ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'],
    chars: URL64 | DOT | EQUALS,
    min: 32,
  },
  { kind: 'supabase_token', prefixes: ['sbp_'], chars: HEX, min: 40, max: 40, alone: true },
  { kind: 'rubygems_key', prefixes: ['rubygems_'], chars: HEX, min: 48, max: 48 },
  { kind: 'square_token', prefixes: ['sq0atp-', 'sq0csp-'], chars: URL64, min: 22, usual: 22 },
  { kind: 'age_key', prefixes: ['AGE-SECRET-KEY-1'], chars: UPPER | DIGIT, min: 58, max: 58 },
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Values by their name, the special ones first. */
export const NAMED_RULES: readonly NamedRule[] = [
  {
    kind: 'aws_secret_key',
    names: [
      'aws_secret',
      'awssecret',
      'aws-secret',
      'secret_access_key',
      'secretaccesskey',
      'secret access key',
      'aws secret',
    ],
    chars: BASE64,
    min: 40,
    max: 40,
    entropy: 4,
    spaced: true,
  },
  {
    kind: 'azure_storage_key',
    names: ['accountkey', 'account_key'],
    chars: BASE64 | EQUALS,
    min: 86,
    max: 90,
    entropy: 4,
  },
  { kind: 'azure_shared_key', names: ['sharedaccesskey'], chars: BASE64 | EQUALS, min: 43, max: 90, entropy: 4 },
  { kind: 'heroku_key', names: ['heroku'], chars: HEX | HYPHEN, min: 36, max: 36, entropy: 3, form: UUID },
  { kind: 'twilio_token', names: ['twilio'], chars: HEX, min: 32, max: 32, entropy: 3 },
  { kind: 'mailgun_key', names: ['mailgun'], chars: HEX | HYPHEN, min: 50, max: 50, entropy: 3 },
  { kind: 'cloudflare_token', names: ['cloudflare'], chars: URL64, min: 37, max: 40, entropy: 3.5 },
  { kind: 'discord_secret', names: ['discord'], chars: URL64, min: 32, max: 32, entropy: 3.8 },
  {
    kind: 'bearer_token',
    names: ['bearer'],
    chars: URL64 | DOT | PLUS | SLASH | EQUALS,
    min: 24,
    entropy: 3.7,
    spaced: true,
  },
  {
    kind: 'password',
    names: ['password', 'passwd', 'passphrase'],
    chars: URL64 | DOT | PLUS | SLASH | EQUALS,
    min: 12,
    entropy: 3.2,
  },
  {
    kind: 'generic_secret',
    names: [
      'api_key',
      'apikey',
      'api-key',
      'api key',
      'api_secret',
      'apisecret',
      'api_token',
      'apitoken',
      'api-token',
      'access_token',
      'accesstoken',
      'auth_token',
      'authtoken',
      'refresh_token',
      'refreshtoken',
      'client_secret',
      'clientsecret',
      'client-secret',
      'app_secret',
      'secret_key',
      'secretkey',
      'secret-key',
      'secret_token',
      'private_key',
      'privatekey',
    ],
    chars: URL64 | DOT | PLUS | SLASH | EQUALS,
    min: 16,
    entropy: 3.4,
  },
];

/** Kinds that give way to a special one where they overlap. */
export const GENERAL_KINDS: ReadonlySet<string> = new Set([
  'generic_secret',
  'password',
  'bearer_token',
  'url_password',
]);
