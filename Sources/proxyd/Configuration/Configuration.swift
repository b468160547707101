internal import Logging

/// Everything a person can choose, checked: a value that exists is one the daemon can run with.
///
/// `ConfigurationKey.all` maps each property to its key. docs/CONFIGURATION.md describes the keys,
/// docs/DEFAULTS.md gives the reasons for the numbers.
struct Configuration: Sendable, Equatable {
    /// Where captures, CA and control socket live; nil for the environment's choice.
    var dataDirectory: String?
    /// The least severe messages that are logged.
    var logLevel = Logger.Level.info
    /// Where clients connect.
    var listen = Listen()
    /// How many threads.
    var threads = Threads()
    /// How much of anything is accepted.
    var limits = Limits()
    /// How long anything may take.
    var timeouts = Timeouts()
    /// What is intercepted and what is trusted.
    var tls = TLS()
    /// What is kept, and how safely.
    var recording = Recording()
    /// What goes on to servers.
    var forwarding = Forwarding()
    /// Which program a client is.
    var attribution = Attribution()
}
