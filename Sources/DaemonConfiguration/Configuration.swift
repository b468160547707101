package import Logging

/// Everything a person can choose, checked: a value that exists is one the daemon can run with.
///
/// `ConfigurationKey.all` maps each property to its key. docs/CONFIGURATION.md describes the keys,
/// docs/DEFAULTS.md gives the reasons for the numbers.
package struct Configuration: Sendable, Equatable {
    /// Where captures, CA and control socket live; nil for the environment's choice.
    package var dataDirectory: String?
    /// The least severe messages that are logged.
    package var logLevel = Logger.Level.info
    /// Where clients connect.
    package var listen = Listen()
    /// How many threads.
    package var threads = Threads()
    /// How much of anything is accepted.
    package var limits = Limits()
    /// How long anything may take.
    package var timeouts = Timeouts()
    /// What is intercepted and what is trusted.
    package var tls = TLS()
    /// What is kept, and how safely.
    package var recording = Recording()
    /// What goes on to servers.
    package var forwarding = Forwarding()
    /// What is done to traffic.
    package var rules = Rules()
    /// What programs are that rules ask.
    package var scripts = Scripts()
    /// Which program a client is.
    package var attribution = Attribution()
}
