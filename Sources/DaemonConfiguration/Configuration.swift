package import Logging

/// All settings after validation: the daemon can run with every value of this type.
///
/// `ConfigurationKey.all` maps each property to its key. docs/CONFIGURATION.md describes the keys,
/// docs/DEFAULTS.md gives the reasons for the numbers.
package struct Configuration: Sendable, Equatable {
    /// The directory of captures, CA and control socket, or nil to choose it from the environment.
    package var dataDirectory: String?
    /// The least severe messages that are logged.
    package var logLevel = Logger.Level.info
    /// The addresses for clients.
    package var listen = Listen()
    /// The numbers of threads.
    package var threads = Threads()
    /// Limits on what is accepted.
    package var limits = Limits()
    /// Time limits.
    package var timeouts = Timeouts()
    /// Which connections are intercepted, and which servers are trusted.
    package var tls = TLS()
    /// What is recorded, and how durably.
    package var recording = Recording()
    /// How messages are forwarded.
    package var forwarding = Forwarding()
    /// The proxies through which servers are reached; the first that takes a server is used.
    package var upstreams: [Upstream] = []
    /// The certificates that are shown to servers that ask for one.
    package var clientCertificates: [ClientCertificate] = []
    /// The rules for traffic.
    package var rules = Rules()
    /// The programs that rules call.
    package var scripts = Scripts()
    /// How programs are attributed to clients.
    package var attribution = Attribution()
}
