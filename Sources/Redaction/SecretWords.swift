/// The names and words that tell credentials.
enum SecretWords {
    /// Header fields that carry credentials or sessions by definition or by common use.
    static let fields = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2", "cookie2",
        "authentication-info", "proxy-authentication-info", "x-api-key", "api-key", "apikey",
        "x-auth-token", "x-auth-key", "x-access-token", "x-session-token", "x-csrf-token",
        "x-xsrf-token", "x-amz-security-token", "x-amzn-oidc-data", "x-ms-client-principal",
        "x-vault-token", "x-goog-api-key", "private-token", "x-gitlab-token", "dpop",
        "x-hub-signature", "x-hub-signature-256", "x-slack-signature", "stripe-signature",
    ]

    /// Names of parameters that carry credentials by common use, in addition to those that end in
    /// a word that tells.
    static let names = [
        "sig", "signature", "x-amz-credential", "x-amz-signature", "x-goog-credential",
        "x-goog-signature", "oauth_signature", "request_signature", "api_sig", "hmac",
        "session", "session_id", "session_key", "user_session", "sess", "sessid", "session_uuid",
        "sid", "jsessionid", "phpsessid", "phpsessionid", "aspsessionid", "asp.net_sessionid",
        "connect.sid", "csrf", "xsrf", "csrfmiddlewaretoken", "authenticity_token",
        "auth", "bearer", "assertion", "saml_response", "wresult", "relay_token",
        "id_token_hint", "device_code", "code_verifier", "oauth_verifier", "auth_code",
        "authorization_code", "verification_code", "security_code", "sms_code", "mfa_code",
        "totp", "totp_code", "otp_code", "one_time_code", "backup_code", "recovery_code",
        "two_factor_code", "2fa_code", "login_code", "session_cookie", "recovery_phrase",
        "seed_phrase", "mnemonic", "recovery_key", "security_answer", "secret_answer",
        "cvv", "cvv2", "cvc", "cvc2", "card_verification_value", "dpop_proof", "nt_hash",
        "ntlm_hash",
    ]

    /// Names of values that are credentials only if they look like one.
    static let opaque = PlainNames(["ticket", "service_ticket", "login_ticket", "tgt"])

    /// Names that end like credentials and are none.
    static let harmless = PlainNames([
        "access_control_allow_credentials", "with_credentials", "same_origin_credentials",
    ])

    /// Words after the one that tells: `password_confirmation` is a password.
    static let qualifiers = PlainNames([
        "confirm", "confirmed", "confirmation", "repeat", "repeated", "repetition", "again",
        "retype", "verify", "verification", "old", "new", "current", "previous", "plain",
        "plaintext", "text", "value", "val", "raw", "string", "str", "hash", "hashed", "pem",
        "b64", "base64", "hex", "enc", "encrypted", "field", "input", "box", "param", "cookie",
    ])

    /// Endings of names that tell whatever precedes them, by their last byte.
    private static let endings: [UInt8: [[UInt8]]] = Dictionary(
        grouping: [
            "password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "wachtwoord",
            "contrasena", "contraseña", "motdepasse", "пароль", "密码", "密碼", "パスワード",
            "비밀번호", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey",
            "subscriptionkey", "accountkey", "storagekey", "encryptionkey", "signingkey",
            "masterkey", "functionskey", "sharedkey", "hmackey", "authkey", "sshkey",
            "sessionkey", "credential", "credentials", "authorization", "assertion", "csrf",
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
        "jwt", "pin", "sig", "sid", "creds", "cred",
    ])

    /// What comes before such a word and makes it another thing.
    private static let others = PlainNames([
        "boarding", "season", "bus", "train", "day", "ski", "lift", "first", "second", "third",
        "single", "multi", "render", "travel", "event", "hall", "mountain", "test", "must", "did",
        "can", "map", "drop", "push", "led", "gpio", "input", "output", "io", "bowling", "is",
    ])

    static func isLastWord(_ word: ArraySlice<UInt8>, after before: ArraySlice<UInt8>) -> Bool {
        lastWords.contains(word) && !others.contains(before)
    }
}
