/// What a name says about its value.
enum SecretHint {
    case nothing
    case always
    /// It is one if it is a text or a number: a `session` may also be an object.
    case ifSimple
    /// It is one unless it is a number: `tokens` may be a list of them, or their count.
    case unlessNumber
    /// It is one if it looks like one: a `ticket` may be a login, or a request for help.
    case ifOpaque

    /// Whether a text with such a name is always a credential.
    var isCertain: Bool {
        switch self {
        case .always, .ifSimple: true
        case .nothing, .unlessNumber, .ifOpaque: false
        }
    }
}

/// Decides by name which values are credentials.
///
/// A name is tested as a whole, and so is each component of a compound name: `password` in
/// `user[password][first]` and in `user.password`. A component is split into words at `_`, `-`,
/// blanks, digits and changes of case, because the last word says what a value is: `db_pass`,
/// `apiToken`, `newPassword2`. Only a qualifier may follow it, as in `password_confirmation`.
struct SecretNames: Sendable, Hashable {
    /// Built-in names and the user's, in lower case.
    private let fields: Set<String>
    /// In the form of `NameWords.plain`.
    private let parameters: PlainNames
    /// The user's names.
    private let own: PlainNames
    /// Whether names are also recognised by their words, and credentials by their shapes.
    let knowsMore: Bool

    /// Creates the built-in names and these.
    init(adding fields: [String], parameters: [String]) {
        let all = SecretWords.fields + fields
        self.fields = Set(all.map { $0.lowercased() })
        self.parameters = PlainNames(SecretWords.names + all)
        own = PlainNames(fields + parameters)
        knowsMore = true
    }

    init(only fields: [String], parameters: [String]) {
        self.fields = Set(fields.map { $0.lowercased() })
        self.parameters = PlainNames([])
        own = PlainNames(parameters)
        knowsMore = false
    }

    /// Whether a field is known to carry credentials, so that all of its line is hidden.
    func isCredentialField(_ name: String) -> Bool { fields.contains(name.lowercased()) }

    /// Whether the values of a field are credentials.
    func hidesField(_ name: String) -> Bool {
        if isCredentialField(name) { return true }
        guard knowsMore else { return false }
        let isOfExtension = name.lowercased().hasPrefix("x-")
        return hint(name).isCertain || isOfExtension && hint(String(name.dropFirst(2))).isCertain
    }

    func hint(_ name: String) -> SecretHint {
        var name = name
        return name.withUTF8 { hint($0.span) }
    }

    /// What a name says about its value. Only the end of a very long name is read.
    func hint(_ name: Span<UInt8>) -> SecretHint {
        let name = name.extracting(last: NameWords.byteCountMax)
        guard !SecretNames.isPlace(name) else { return .nothing }
        var found = part(name)
        guard !found.isCertain else { return found }
        var start = 0
        for index in 0...name.count {
            guard index == name.count || SecretNames.isSeparator(name[index]) else { continue }
            // A name without a separator is its only component.
            if index > start, index - start < name.count {
                let component = part(name.extracting(start..<index))
                if component == .always { return component }
                // What may also be a thing counts only at the end, not in `session.expired`.
                if component != .nothing,
                    component != .ifSimple || index == name.count
                        || name[index] != UInt8(ascii: ".")
                {
                    found = component
                }
            }
            start = index + 1
        }
        return found
    }

    /// Whether a name is a path or a file, as keys of OpenAPI documents and manifests are.
    private static func isPlace(_ name: Span<UInt8>) -> Bool {
        if name.count > 1, name[0] == UInt8(ascii: "/") { return true }
        guard let dot = name.indices.last(where: { name[$0] == UInt8(ascii: ".") }), dot > 0,
            (1...5).contains(name.count - dot - 1)
        else { return false }
        return SecretWords.fileEndings.contains(TextBytes.copy(name, dot + 1..<name.count)[...])
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "."), UInt8(ascii: ":"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// What a component says.
    private func part(_ name: Span<UInt8>) -> SecretHint {
        guard !name.isEmpty else { return .nothing }
        var words = NameWords(name)
        if own.contains(words.plain) || parameters.contains(words.plain) { return .always }
        guard knowsMore, !SecretWords.harmless.contains(words.plain) else { return .nothing }
        if SecretWords.simple.contains(words.plain) { return .ifSimple }
        words.dropQualifiers()
        if SecretWords.opaque.contains(words.plain) { return .ifOpaque }
        if SecretWords.simple.contains(words.plain) { return .ifSimple }
        if parameters.contains(words.plain) { return .always }
        if SecretWords.hasEnding(words.plain[...]) { return .always }
        let (before, last) = words.lastTwo
        if SecretWords.isLastWord(last, after: before) { return .ifSimple }
        guard words.dropPlural() else { return .nothing }
        return SecretWords.hasEnding(words.plain[...]) ? .unlessNumber : .nothing
    }

}

/// A name in lower case without the separators of its words, and where those start. Works byte by
/// byte, because every member of every JSON body passes through here.
struct NameWords {
    /// Longer names are not read from their start.
    static let byteCountMax = 128

    private(set) var plain: [UInt8] = []
    /// A bit for each byte that starts a word.
    private var starts: UInt128 = 0

    init(_ name: Span<UInt8>) {
        plain.reserveCapacity(name.count)
        var before = NameByteClass.separator
        for index in name.indices {
            let byte = name[index]
            let found = NameByteClass(byte)
            defer { before = found }
            guard found != .separator else { continue }
            let isStart =
                switch (before, found) {
                case (.separator, _), (.lower, .upper), (.digit, .lower), (.digit, .upper),
                    (.lower, .digit), (.upper, .digit):
                    true
                // The last letter of `API` in `APIKey` starts the next word.
                case (.upper, .upper):
                    index + 1 < name.count && NameByteClass(name[index + 1]) == .lower
                default: false
                }
            if isStart { starts |= 1 << UInt128(plain.count) }
            plain.append(found == .upper ? byte | 0x20 : byte)
            if byte >= 0x80 { hasOthers = true }
        }
        if hasOthers { lowercaseOthers() }
    }

    private var hasOthers = false

    private enum NameByteClass {
        case lower, upper, digit, separator

        init(_ byte: UInt8) {
            self =
                switch byte {
                case 0x61...0x7A, 0x80...0xFF: .lower
                case 0x41...0x5A: .upper
                case 0x30...0x39: .digit
                default: .separator
                }
        }
    }

    /// Lowercases letters of other alphabets. If their length changes, the words at the end count.
    private mutating func lowercaseOthers() {
        guard let lowercased = String(validating: plain, as: UTF8.self)?.lowercased() else {
            return
        }
        let lower = Array(lowercased.utf8.suffix(NameWords.byteCountMax))
        starts = starts << (lower.count - plain.count) | 1
        plain = lower
    }

    /// Removes numbers, and words such as `confirmation`, from the end; the first word stays.
    mutating func dropQualifiers() {
        while let start = lastStart, start > 0 {
            let word = plain[start...]
            guard
                word.first.map({ 0x30...0x39 ~= $0 }) == true
                    || SecretWords.qualifiers.contains(word)
            else { return }
            plain.removeLast(plain.count - start)
        }
    }

    /// Removes the `s` of a plural; returns whether there was one.
    mutating func dropPlural() -> Bool {
        guard plain.last == UInt8(ascii: "s") else { return false }
        plain.removeLast()
        return true
    }

    /// The last word, and the one before it.
    var lastTwo: (before: ArraySlice<UInt8>, last: ArraySlice<UInt8>) {
        guard let last = lastStart else { return ([], []) }
        return (plain[(start(before: last) ?? last)..<last], plain[last...])
    }

    private var lastStart: Int? { start(before: plain.count) }

    private func start(before end: Int) -> Int? {
        let earlier = end >= 128 ? starts : starts & ((1 << UInt128(end)) - 1)
        return earlier == 0 ? nil : 127 - earlier.leadingZeroBitCount
    }
}

/// A set of names in plain form. Most names that are looked up are not in it, which their length
/// and first byte show.
struct PlainNames: Sendable, Hashable {
    private static let lengthCount = 64

    private let names: Set<[UInt8]>
    /// Whether there is a name with a length and a first byte.
    private var isPossible = [Bool](repeating: false, count: PlainNames.lengthCount * 256)

    init(_ names: [String]) {
        self.names = Set(names.map { NameWords(Array($0.utf8).span).plain })
        for name in self.names { isPossible[PlainNames.index(name[...])] = true }
    }

    static func == (left: PlainNames, right: PlainNames) -> Bool { left.names == right.names }

    func hash(into hasher: inout Hasher) { hasher.combine(names) }

    func contains(_ name: [UInt8]) -> Bool {
        isPossible[PlainNames.index(name[...])] && names.contains(name)
    }

    func contains(_ name: ArraySlice<UInt8>) -> Bool {
        isPossible[PlainNames.index(name)] && names.contains(Array(name))
    }

    private static func index(_ name: ArraySlice<UInt8>) -> Int {
        min(name.count, lengthCount - 1) * 256 + Int(name.first ?? 0)
    }
}

/// The names and words that mark credentials.
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

    /// Parameters that commonly carry credentials, besides those that end in a telling word.
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

    /// Names that end like credentials but are not.
    static let harmless = PlainNames([
        "access_control_allow_credentials", "with_credentials", "bos_token", "eos_token",
        "pad_token", "unk_token", "sep_token", "cls_token", "mask_token", "next_token",
        "next_page_token", "page_token", "continuation_token",
    ])

    static let fileEndings = PlainNames([
        "js", "mjs", "cjs", "ts", "tsx", "jsx", "vue", "css", "scss", "html", "htm", "map",
        "go", "py", "rb", "rs", "java", "kt", "swift", "php", "c", "h", "cc", "cpp", "cs", "md",
        "json", "yaml", "yml", "toml", "xml", "svg", "png", "txt", "log", "sh",
    ])

    /// Words after the telling one: `password_confirmation` is a password.
    static let qualifiers = PlainNames([
        "confirm", "confirmed", "confirmation", "repeat", "repeated", "repetition", "again",
        "retype", "verify", "verification", "old", "new", "current", "previous", "plain",
        "plaintext", "text", "value", "val", "raw", "string", "str", "hash", "hashed", "pem",
        "b64", "base64", "hex", "enc", "encrypted", "field", "input", "box", "param", "digest",
        "code",
    ])

    /// Endings that make a name telling whatever precedes them, by their last byte.
    private static let endings: [UInt8: [[UInt8]]] = Dictionary(
        grouping: [
            "password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "wachtwoord",
            "contrasena", "contraseña", "motdepasse", "пароль", "密码", "密碼", "パスワード",
            "비밀번호", "secret", "token", "apikey", "accesskey", "privatekey", "secretkey",
            "subscriptionkey", "accountkey", "storagekey", "encryptionkey", "signingkey",
            "masterkey", "functionskey", "sharedkey", "hmackey", "authkey", "sshkey",
            "sessionkey", "credential", "credentials", "assertion", "cookie", "pwd",
        ].map { Array($0.utf8) }, by: { $0[$0.count - 1] })

    static func hasEnding(_ plain: ArraySlice<UInt8>) -> Bool {
        guard let last = plain.last, let possible = endings[last] else { return false }
        return possible.contains { ending in
            ending.count <= plain.count && plain.suffix(ending.count).elementsEqual(ending)
        }
    }

    /// Short words that are telling only as the last word of a name: `bypass` is not a `pass`.
    private static let lastWords = PlainNames([
        "pass", "pw", "pwd", "psw", "pswd", "mdp", "senha", "haslo", "hasło", "heslo", "otp",
        "jwt", "pin", "sig", "sid", "creds", "cred", "signature", "authorization", "csrf", "xsrf",
        "cvv", "cvc", "totp",
    ])

    /// Words that give such a word another meaning when they precede it.
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
