/// Why a proxy's text cannot be used. Contains nothing of the text, which may include a password.
public enum ProxySettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A scheme other than http, socks5 and socks5h.
    case unsupportedScheme
    /// The host is missing or invalid.
    case badHost
    /// The port is not a number from 1 to 65535.
    case badPort
    /// There is text after the port.
    case unexpectedPath

    /// One readable line.
    public var description: String {
        switch self {
        case .unsupportedScheme: "a proxy's scheme is http, socks5 or socks5h"
        case .badHost: "a proxy needs a host"
        case .badPort: "a proxy's port is a number from 1 to 65535"
        case .unexpectedPath: "a proxy has no path"
        }
    }
}
