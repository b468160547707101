internal import Capture
internal import Glibc
internal import ProxydControl
internal import ProxydRules
internal import Synchronization
internal import ProxydOperations

/// Accepts messages that rules hold in a running daemon, and decides about them.
final class DaemonHolds: HoldHandling {
    private let directory: DataDirectory
    /// The connection that accepts holds, as long as they are accepted.
    private let taking = Mutex<ControlClient?>(nil)

    init(_ directory: DataDirectory) { self.directory = directory }

    /// Whether holds are accepted; false after the daemon has ended.
    var isTaking: Bool {
        taking.withLock { client in
            guard client != nil else { return false }
            do throws(ControlError) {
                // Events on this connection are not needed, but must be read.
                while try client?.nextEvent(timeoutNs: 0) != nil {}
                return true
            } catch {
                client = nil
                return false
            }
        }
    }

    func take(_ isOn: Bool) throws {
        try DaemonHolds.attempt { () throws(ControlError) in
            try taking.withLock { (client) throws(ControlError) in
                client = isOn ? try ControlClient(dataDirectory: directory.path) : nil
                try client?.takeHolds()
            }
        }
    }

    func intercept(_ intercept: Intercept?) throws {
        let mustTake = intercept != nil && !isTaking
        if mustTake { try take(true) }
        do {
            try DaemonHolds.attempt { () throws(ControlError) in
                // Without its own connection, it ends what others have set.
                try taking.withLock { (client) throws(ControlError) in
                    if let client { return try client.intercept(intercept) }
                    try ControlClient(dataDirectory: directory.path).intercept(intercept)
                }
            }
        } catch {
            if mustTake { try? take(false) }
            throw error
        }
    }

    func open(_ hold: Int64) throws -> any OpenedHold {
        try DaemonHolds.attempt { () throws(ControlError) in
            try DaemonHold(hold, by: ControlClient(dataDirectory: directory.path))
        }
    }

    func resumeAll() throws -> Int {
        try DaemonHolds.attempt { () throws(ControlError) in
            try ControlClient(dataDirectory: directory.path).resumeAll()
        }
    }

    /// Errors are reported with the daemon's message.
    fileprivate static func attempt<Value>(
        _ body: () throws(ControlError) -> Value
    ) throws -> Value {
        do throws(ControlError) {
            return try body()
        } catch {
            switch error.kind {
            case .notHeld, .notFound: throw HoldProblem(.notHeld, error.message)
            case .taken: throw HoldProblem(.taken, error.message)
            case .badEdit, .badRules: throw HoldProblem(.badEdit, error.message)
            default: throw InterfaceFailure(description: error.message)
            }
        }
    }
}

/// A claimed hold; the claim ends with this object.
private final class DaemonHold: OpenedHold {
    let head: [UInt8]
    let content: [UInt8]?
    private let hold: Int64
    private let client: Mutex<ControlClient>

    init(_ hold: Int64, by client: sending ControlClient) throws(ControlError) {
        self.hold = hold
        try client.claim(hold, as: "proxyctl \(getpid())")
        head = try client.read(.head, of: hold)
        content = try DaemonHold.content(of: hold, client)
        self.client = Mutex(client)
    }

    private static func content(
        of hold: Int64, _ client: ControlClient
    ) throws(ControlError) -> [UInt8]? {
        do throws(ControlError) {
            return try client.read(.body, of: hold)
        } catch {
            guard error.kind == .badEdit else { throw error }
            return nil
        }
    }

    func resume(head: [UInt8]?, content: [UInt8]?) throws {
        try decide { (client) throws(ControlError) in
            if let head { try client.write(.head, of: hold, head) }
            if let content { try client.write(.body, of: hold, content) }
            try client.resume(hold, isEdited: head != nil || content != nil)
        }
    }

    func answer(head: [UInt8], content: [UInt8]) throws {
        try decide { (client) throws(ControlError) in
            try client.answer(hold, head: head, body: content)
        }
    }

    func drop() throws { try decide { (client) throws(ControlError) in try client.drop(hold) } }

    private func decide(_ body: (ControlClient) throws(ControlError) -> Void) throws {
        try DaemonHolds.attempt { () throws(ControlError) in
            try client.withLock { (client) throws(ControlError) in try body(client) }
        }
    }
}
