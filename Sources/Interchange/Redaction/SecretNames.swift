internal import ProxydCurlCommand
internal import ProxydHTTPModel

/// The names of fields and parameters that carry credentials. Names are compared without regard to
/// case, and names of parameters without regard to `-` and `_`: `accessToken` is `access_token`.
public struct SecretNames: Sendable {
    private let fields: Set<String>
    private let parameters: Set<String>
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
        self.parameters = Set(all.map { SecretNames.plain($0.utf8) })
        hidesUnnamed = true
    }

    /// Creates a set of exactly these names.
    package init(onlyFields fields: [String], parameters: [String]) {
        self.fields = Set(fields.map { $0.lowercased() })
        self.parameters = Set(parameters.map { SecretNames.plain($0.utf8) })
        hidesUnnamed = false
    }

    /// Endings of names that carry credentials whatever they start with, as in `db_password` and
    /// `apiToken`. Plurals are not among them: `max_tokens` is a number.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "accesskey",
        "privatekey", "secretkey", "subscriptionkey", "credentials", "authorization",
    ]

    /// Whether a field is known to carry credentials, so that all of its line is hidden.
    func isCredentialField(_ name: String) -> Bool { fields.contains(name.lowercased()) }

    /// Whether the values of a field are credentials.
    func hidesField(_ name: String) -> Bool {
        if isCredentialField(name) { return true }
        guard hidesUnnamed else { return false }
        let isOfExtension = name.lowercased().hasPrefix("x-")
        return hidesParameter(isOfExtension ? String(name.dropFirst(2)) : name)
    }

    /// Whether the values of a parameter are credentials: one of the components of its name is
    /// secret, as in `user[password]` and `login.token`.
    func hidesParameter(_ name: String) -> Bool {
        let plain = SecretNames.plain(name.utf8)
        if parameters.contains(plain) { return true }
        if hidesUnnamed, SecretNames.endings.contains(where: plain.hasSuffix) { return true }
        let separators = Array("[].".utf8)
        guard name.utf8.contains(where: separators.contains) else { return false }
        return name.utf8.split(whereSeparator: separators.contains).contains {
            parameters.contains(SecretNames.plain($0))
        }
    }

    private static func plain(_ name: some Sequence<UInt8>) -> String {
        let dropped = Array("-_".utf8)
        let octets = name.filter { !dropped.contains($0) }.map(ASCII.lowercased)
        return String(decoding: octets, as: UTF8.self)
    }
}
