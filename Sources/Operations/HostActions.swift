public import ProxydCaptureModel
package import ProxydPresentation
public import ProxydRules

/// Actions outside the viewer, provided by the program. Actions that are nil are unavailable.
public struct HostActions: Sendable {
    public var annotating: (any ExchangeAnnotating)?
    public var deleting: (any ExchangeDeleting)?
    public var replaying: (any ExchangeReplaying)?
    /// Whether replays are recorded in the data directory while another store is being read.
    public var recordsElsewhere = false
    public var exporting: (any ExchangeExporting)?
    public var statusReporting: (any StatusReporting)?
    public var importing: (any ExchangeImporting)?
    public var ruleEditing: (any RuleEditing)?
    public var daemonControl: (any DaemonControl)?

    public var holdHandling: (any HoldHandling)?

    /// Decodes a certificate, or returns nil if the bytes are not one.
    package var certificates: (@Sendable (_ der: [UInt8]) -> CertificateFacts?)?

    public init() {}
}

/// Reports the state of daemon and store.
public protocol StatusReporting: Sendable {
    /// Returns the current facts. May take a while; called off the drawing thread.
    func facts() -> StatusFacts
}

public protocol DaemonControl: Sendable {
    func setRecording(_ isOn: Bool) throws
    /// Toggles TLS interception of a host for its next connections; returns whether they are
    /// intercepted then. Throws an error message for the user.
    func toggleInterception(ofHost host: String, port: UInt16) throws -> Bool
}

/// Facts about daemon and store in the status bar.
public struct StatusFacts: Sendable, Hashable {
    /// Whether proxyd is running, or nil before the first check.
    public var isDaemonRunning: Bool?
    /// Why it does not record, or nil if it records or is not running.
    public var recordingStoppedBecause: String?
    /// The error in the rules file as `FILE:LINE: message`, or nil if there is none.
    public var rulesProblem: String?
    /// How often the rules in force have changed, or nil if unknown.
    public var rulesChangeCount: Int?
    public var exchangeCount: Int64?
    /// The size of the store's file and its log in bytes.
    public var storeByteCount: Int64?
    /// The number of exchanges dropped because recording could not keep up.
    public var droppedExchangeCount: Int64 = 0
    /// The number of body bytes dropped for the same reason.
    public var droppedBodyByteCount: Int64 = 0
    /// The addresses on which the daemon accepts clients.
    public var listenAddresses: [String] = []
    /// The first of them at which clients use it as an HTTP proxy, or nil if unknown.
    public var proxyAddress: String?

    /// The messages that rules hold, oldest first.
    public var holds: [HoldSummary] = []
    /// Whether this interface accepts holds.
    public var isTakingHolds = false
    /// What interfaces hold without a rule of the file; nil for nothing.
    public var intercept: Intercept?

    /// The path of the authority's PEM certificate, or nil if there is none yet.
    public var certificatePath: String?
    /// The shell command that runs this program for this data directory.
    public var ownCommand: String?
    /// The shell command that starts the daemon for it.
    public var daemonCommand: String?

    public init() {}

    /// The URL of the HTTP proxy, or the default one if unknown.
    public var proxyURL: String {
        let address = proxyAddress ?? listenAddresses.first ?? "127.0.0.1:8080"
        let colon = address.lastIndex(of: ":") ?? address.endIndex
        let host = address[..<colon]
        // It listens on all addresses of this machine, which include loopback.
        let reached = host == "0.0.0.0" ? "127.0.0.1" : host == "[::]" ? "[::1]" : host
        return "http://\(reached)\(address[colon...])"
    }
}

/// Writes notes, tags and pins, through the daemon if one is running.
public protocol ExchangeAnnotating: Sendable {
    /// Makes the changes; returns when they are in the store. Throws an error message for the user.
    func annotate(_ changes: [AnnotationChange]) throws
}

/// Deletes exchanges, through the daemon if one is running.
public protocol ExchangeDeleting: Sendable {
    /// Deletes the exchanges that match a filter and are not pinned, and returns their number once
    /// they are deleted. Throws an error message for the user.
    func delete(passing filter: String) throws -> Int
}
