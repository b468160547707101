/// Why a proxy's text cannot be used. Holds nothing of the text, which may have a password.
public enum ProxySettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A scheme other than http, socks5 and socks5h.
    case unsupportedScheme
    /// There is no host, or none that could be one.
    case badHost
    /// The port is no number from 1 to 65535.
    case badPort
    /// There is something behind the port.
    case unexpectedPath

    /// What is wrong.
    public var description: String {
        switch self {
        case .unsupportedScheme: "a proxy's scheme is http, socks5 or socks5h"
        case .badHost: "a proxy needs a host"
        case .badPort: "a proxy's port is a number from 1 to 65535"
        case .unexpectedPath: "a proxy has no path"
        }
    }
}
