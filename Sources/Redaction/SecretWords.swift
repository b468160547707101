/// The names and words that tell credentials.
enum SecretWords {
    /// Header fields that carry credentials or sessions by definition or by common use.
    static let fields = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2", "cookie2",
        "authentication-info", "proxy-authentication-info", "x-api-key", "api-key", "apikey",
        "x-auth-token", "x-auth-key", "x-access-token", "x-session-token", "x-csrf-token",
        "x-xsrf-token", "x-amz-security-token", "x-amzn-oidc-data", "x-ms-client-principal",
        "x-vault-token", "x-goog-api-key", "private-token", "x-gitlab-token", "dpop",
        "x-hub-signature-256", "x-shopify-hmac-sha256", "x-registry-auth", "x-registry-config",
        "x-firebase-appcheck", "x-honeycomb-team", "x-stytch-session", "authentication",
        "x-authentication", "authorization-bearer", "dd-application-key",
    ]

    /// Names of parameters that carry credentials by common use, in addition to those that end in
    /// a word that tells.
    static let names = [
        "x-amz-credential", "x-goog-credential", "api_sig", "hmac", "sas",
        "shared_access_signature", "session_id", "session_key", "user_session", "sessid",
        "session_uuid", "jsessionid", "phpsessid", "phpsessionid", "aspsessionid",
        "asp.net_sessionid", "connect.sid", "csrfmiddlewaretoken", "authenticity_token",
        "saml_response", "saml_art", "wresult", "relay_token", "basic_auth", "bearer_auth",
        "http_auth", "x_auth", "auth_data", "auth_header", "auth_string", "reset_code",
        "activation_code", "access_code", "passkey", "psk", "connection_string", "app_key",
        "application_key", "stripe_key", "secret_key_base", "client_key_data", "dbpass",
        "userpass", "smtppass", "ftppass", "storepass", "keypass", "mypass", "adminpass",
        "mnemonic_phrase",
        "id_token_hint", "device_code", "code_verifier", "oauth_verifier", "auth_code",
        "authorization_code", "verification_code", "security_code", "sms_code", "mfa_code",
        "totp", "totp_code", "otp_code", "one_time_code", "backup_code", "recovery_code",
        "two_factor_code", "2fa_code", "login_code", "session_cookie", "recovery_phrase",
        "seed_phrase", "mnemonic", "recovery_key", "security_answer", "secret_answer",
        "cvv", "cvv2", "cvc", "cvc2", "card_verification_value", "dpop_proof", "nt_hash",
        "ntlm_hash",
    ]

    /// Names of credentials that may also be things with members of their own.
    static let simple = PlainNames([
        "auth", "authorization", "session", "sess", "sig", "signature", "pin", "jwt", "csrf",
        "xsrf", "bearer", "assertion", "sid", "otp",
    ])

    /// Names of values that are credentials only if they look like one.
    static let opaque = PlainNames([
        "ticket", "service_ticket", "login_ticket", "auth_ticket", "tgt",
    ])

    /// Names that end like credentials and are none.
    static let harmless = PlainNames([
        "access_control_allow_credentials", "with_credentials", "bos_token", "eos_token",
        "pad_token", "unk_token", "sep_token", "cls_token", "mask_token", "next_token",
        "next_page_token", "page_token", "continuation_token",
    ])

    /// Endings of the names of files.
    static let fileEndings = PlainNames([
        "js", "mjs", "cjs", "ts", "tsx", "jsx", "vue", "css", "scss", "html", "htm", "map",
        "go", "py", "rb", "rs", "java", "kt", "swift", "php", "c", "h", "cc", "cpp", "cs", "md",
        "json", "yaml", "yml", "toml", "xml", "svg", "png", "txt", "log", "sh",
    ])

    /// Words after the one that tells: `password_confirmation` is a password.
    static let qualifiers = PlainNames([
        "confirm", "confirmed", "confirmation", "repeat", "repeated", "repetition", "again",
        "retype", "verify", "verification", "old", "new", "current", "previous", "plain",
        "plaintext", "text", "value", "val", "raw", "string", "str", "hash", "hashed", "pem",
        "b64", "base64", "hex", "enc", "encrypted", "field", "input", "box", "param", "digest",
        "code",
    ])

    /// Endings of names that tell whatever precedes them, by their last byte.
    private static let endings: [UInt8: [[UInt8]]] = Dictionary(
        grouping: [
            "password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "wachtwoord",
            "contrasena", "contraseña", "motdepasse", "пароль", "密码", "密碼", "パスワード",
            "비밀번호", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey",
            "subscriptionkey", "accountkey", "storagekey", "encryptionkey", "signingkey",
            "masterkey", "functionskey", "sharedkey", "hmackey", "authkey", "sshkey",
            "sessionkey", "credential", "credentials", "assertion", "cookie", "pwd",
        ].map { Array($0.utf8) }, by: { $0[$0.count - 1] })

    /// Whether a plain name ends in one of the endings.
    static func hasEnding(_ plain: ArraySlice<UInt8>) -> Bool {
        guard let last = plain.last, let possible = endings[last] else { return false }
        return possible.contains { ending in
            ending.count <= plain.count && plain.suffix(ending.count).elementsEqual(ending)
        }
    }

    /// Short words that tell as the last word of a name only: `bypass` is no `pass`.
    private static let lastWords = PlainNames([
        "pass", "pw", "pwd", "psw", "pswd", "mdp", "senha", "haslo", "hasło", "heslo", "otp",
        "jwt", "pin", "sig", "sid", "creds", "cred", "signature", "authorization", "csrf", "xsrf",
        "cvv", "cvc", "totp",
    ])

    /// What comes before such a word and makes it another thing.
    private static let others = PlainNames([
        "boarding", "season", "bus", "train", "day", "ski", "lift", "first", "second", "third",
        "single", "multi", "render", "travel", "event", "hall", "mountain", "test", "must", "did",
        "can", "map", "drop", "push", "led", "gpio", "input", "output", "io", "bowling", "is",
        "high", "low", "band", "museum", "game", "cs", "rx", "tx", "account", "email", "mail",
        "function", "method", "type", "version", "block",
    ])

    static func isLastWord(_ word: ArraySlice<UInt8>, after before: ArraySlice<UInt8>) -> Bool {
        lastWords.contains(word) && !others.contains(before)
    }
}
