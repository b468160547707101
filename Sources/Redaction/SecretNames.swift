internal import ProxydCurlCommand
internal import ProxydHTTPModel

/// The names of fields and parameters that carry credentials. Names are compared without regard to
/// case, and names of parameters without regard to `-` and `_`: `accessToken` is `access_token`.
public struct SecretNames: Sendable {
    private let fields: Set<String>
    /// As `plain` writes them.
    private let parameters: PlainNames
    /// Whether credentials without a telling name are hidden too: the user of a URL, the value
    /// after `Bearer`, the OAuth code.
    let hidesUnnamed: Bool

    /// Fields in addition to those that curl commands hide by default.
    private static let moreFields = [
        "set-cookie2", "cookie2", "x-access-token", "x-xsrf-token", "x-vault-token",
        "x-goog-api-key", "api-key", "apikey", "private-token", "x-gitlab-token", "x-auth-key",
        "x-session-token", "dpop",
    ]
    /// Parameters in addition to those that curl commands hide by default.
    private static let moreParameters = [
        "pass", "passphrase", "pwd", "new_password", "old_password", "current_password",
        "password_confirmation", "confirm_password", "otp", "pin", "cvv", "cvc", "private_key",
        "secret_key", "access_key", "secret_access_key", "session", "session_id", "session_token",
        "sid", "jsessionid", "phpsessid", "csrf", "csrf_token", "xsrf_token", "jwt", "assertion",
        "client_assertion", "code_verifier", "credential", "credentials", "auth", "bearer",
        "account_key", "security_token",
    ]

    /// Creates the default set of names, extended by the given ones.
    public init(addingFields fields: [String] = [], parameters: [String] = []) {
        let allFields = Redaction.defaultFieldNames.union(SecretNames.moreFields).union(fields)
        self.fields = Set(allFields.map { $0.lowercased() })
        let all = Redaction.defaultParameterNames.union(SecretNames.moreParameters)
            .union(parameters).union(allFields)
        self.parameters = PlainNames(all.map { SecretNames.plain($0.utf8) })
        hidesUnnamed = true
    }

    /// Creates a set of exactly these names.
    package init(onlyFields fields: [String], parameters: [String]) {
        self.fields = Set(fields.map { $0.lowercased() })
        self.parameters = PlainNames(parameters.map { SecretNames.plain($0.utf8) })
        hidesUnnamed = false
    }

    /// Endings of names that carry credentials whatever they start with, as in `db_password` and
    /// `apiToken`. Plurals are not among them: `max_tokens` is a number.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey",
        "privatekey", "secretkey", "subscriptionkey", "credentials", "authorization",
    ].map { Array($0.utf8) }

    /// Whether a field is known to carry credentials, so that all of its line is hidden.
    package func isCredentialField(_ name: String) -> Bool { fields.contains(name.lowercased()) }

    /// Whether the values of a field are credentials.
    package func hidesField(_ name: String) -> Bool {
        if isCredentialField(name) { return true }
        guard hidesUnnamed else { return false }
        let isOfExtension = name.lowercased().hasPrefix("x-")
        return hidesParameter(isOfExtension ? String(name.dropFirst(2)) : name)
    }

    /// Whether the values of a parameter are credentials: one of the components of its name is
    /// secret, as in `user[password]` and `login.token`.
    func hidesParameter(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        let plain = SecretNames.plain(bytes)
        if parameters.contains(plain) { return true }
        if hidesUnnamed, SecretNames.hasSecretEnding(plain) { return true }
        guard bytes.contains(where: SecretNames.isSeparator) else { return false }
        return bytes.split(whereSeparator: SecretNames.isSeparator).contains {
            parameters.contains(SecretNames.plain($0))
        }
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: ".")
    }

    private static func hasSecretEnding(_ plain: [UInt8]) -> Bool {
        guard let last = plain.last else { return false }
        for ending in endings where ending.last == last && ending.count <= plain.count {
            if plain[(plain.count - ending.count)...].elementsEqual(ending) { return true }
        }
        return false
    }

    /// A name in lower case without `-` and `_`. Byte by byte, because every member of every JSON
    /// body passes here.
    private static func plain(_ name: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.underestimatedCount)
        for byte in name where byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_") {
            bytes.append(ASCII.lowercased(byte))
        }
        return bytes
    }
}

/// A set of names. Most names that are looked up are in none: their length and their first byte
/// show it.
private struct PlainNames: Sendable {
    private static let lengthCount = 64

    private let names: Set<[UInt8]>
    /// Whether there is a name with a length and a first byte.
    private var isPossible = [Bool](repeating: false, count: PlainNames.lengthCount * 256)

    init(_ names: [[UInt8]]) {
        self.names = Set(names)
        for name in names { isPossible[PlainNames.index(name)] = true }
    }

    func contains(_ name: [UInt8]) -> Bool {
        isPossible[PlainNames.index(name)] && names.contains(name)
    }

    private static func index(_ name: [UInt8]) -> Int {
        min(name.count, lengthCount - 1) * 256 + Int(name.first ?? 0)
    }
}
