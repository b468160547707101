public import ProxydRules
public import ProxydCaptureModel
internal import FoundationEssentials

/// A blocking connection to a running daemon, for command-line tools. Use it from one thread only.
public final class ControlClient {
    private let connection: BlockingConnection
    private let timeoutNs: Int64
    private var nextID: Int64 = 1
    private var waitingEvents: [ControlEvent] = []

    /// Connects to the daemon of a data directory; throws `notRunning` if there is none. Each
    /// command may take `timeoutNs` nanoseconds.
    public init(dataDirectory: String, timeoutNs: Int64 = 10_000_000_000) throws(ControlError) {
        connection = try BlockingConnection(directoryPath: dataDirectory)
        self.timeoutNs = timeoutNs
    }

    /// Sends a command and waits for its result.
    public func perform(_ command: ControlCommand) throws(ControlError) -> ControlResult {
        let id = nextID
        nextID += 1
        let deadline = Deadline(afterNs: timeoutNs)
        let line = try ControlCoding.line(ControlRequest(id: id, command: command))
        guard line.count <= ControlLimits.lineByteCountMax else {
            throw ControlError(.badMessage, "the command is too long for the control socket")
        }
        try connection.send(line, by: deadline)
        while let line = try connection.receiveLine(by: deadline) {
            let reply = try ControlCoding.message(ControlReply.self, from: line)
            if let event = reply.event { waitingEvents.append(event) }
            guard reply.id == id || reply.id == 0 else { continue }
            if let error = reply.error { throw error }
            if let result = reply.result { return result }
        }
        throw BlockingConnection.timedOut
    }

    public func status() throws(ControlError) -> DaemonStatus {
        guard case .status(let report) = try perform(.status) else { throw Self.unexpected }
        return report
    }

    /// Waits until the daemon has committed what has ended; `badMessage` from a daemon too old to
    /// know the command.
    public func commit() throws(ControlError) { _ = try perform(.commit) }

    /// The daemon's rules for servers; `badMessage` from a daemon too old to know the command.
    public func serverRules() throws(ControlError) -> ServerRulesStatus {
        guard case .serverRules(let rules) = try perform(.serverRules) else {
            throw Self.unexpected
        }
        return rules
    }

    /// The active rules and their counters; `badMessage` from a daemon too old to know the command.
    public func rules() throws(ControlError) -> RulesStatus {
        guard case .rules(let rules) = try perform(.rules) else { throw Self.unexpected }
        return rules
    }

    /// Reloads the rules file; the result's problems list its mistakes.
    public func reloadRules() throws(ControlError) -> RulesStatus {
        guard case .rules(let rules) = try perform(.reloadRules) else { throw Self.unexpected }
        return rules
    }

    /// Changes the rules in the daemon's memory only. `badRules` for mistakes, one per line.
    public func changeRules(_ change: RulesUpdate) throws(ControlError) -> RulesStatus {
        guard case .rules(let rules) = try perform(.changeRules(change: change)) else {
            throw Self.unexpected
        }
        return rules
    }

    /// Deletes the exchanges that a filter matches, or all if it is nil; returns their number.
    public func clear(filter: String?) throws(ControlError) -> Int {
        try affected(.clear(filter: filter))
    }

    /// Changes the note, tags or pin of an exchange; `notFound` if it does not exist.
    public func annotate(_ change: AnnotationChange) throws(ControlError) {
        _ = try affected(.annotate(change: change))
    }

    /// Notes how far the store was delivered to a central store; `badMessage` from a daemon too old
    /// to know the command.
    public func noteDelivery(_ progress: DeliveryProgress) throws(ControlError) {
        _ = try perform(.noteDelivery(progress: progress))
    }

    /// Stores a file that describes messages; replaces one with the same name.
    public func addProtoFile(_ file: ProtoFile) throws(ControlError) {
        _ = try perform(.addProtoFile(file: file))
    }

    /// Removes the named file that describes messages; `notFound` if there is none.
    public func removeProtoFile(named name: String) throws(ControlError) {
        _ = try perform(.removeProtoFile(name: name))
    }

    public func setRecording(_ isOn: Bool) throws(ControlError) {
        _ = try perform(.setRecording(isOn: isOn))
    }

    /// Switches TLS interception of a host for its next connections; returns whether it is on.
    public func toggleInterception(ofHost host: String, port: UInt16) throws(ControlError) -> Bool {
        let command = ControlCommand.toggleInterception(host: host, port: port)
        guard case .interception(let isOpened) = try perform(command) else { throw Self.unexpected }
        return isOpened
    }

    /// Makes the daemon refuse requests to an address at which this program listens, for as long as
    /// this connection is open.
    public func guardAddress(ip: String, port: UInt16) throws(ControlError) {
        _ = try perform(.guardAddress(ip: ip, port: port))
    }

    /// Subscribes to events, which `nextEvent` returns.
    public func subscribe() throws(ControlError) {
        _ = try perform(.subscribe)
    }

    /// The next event, or nil if none arrives within `timeoutNs` nanoseconds. `closed` means that
    /// the daemon ended, or dropped this subscriber because it was too slow.
    public func nextEvent(timeoutNs: Int64) throws(ControlError) -> ControlEvent? {
        if !waitingEvents.isEmpty { return waitingEvents.removeFirst() }
        let deadline = Deadline(afterNs: timeoutNs)
        while let line = try connection.receiveLine(by: deadline) {
            let reply = try ControlCoding.message(ControlReply.self, from: line)
            if let event = reply.event { return event }
        }
        return nil
    }

    private func affected(_ command: ControlCommand) throws(ControlError) -> Int {
        guard case .affected(let count) = try perform(command) else { throw Self.unexpected }
        return count
    }

    static var unexpected: ControlError {
        ControlError(.badMessage, "the daemon's answer does not fit the command")
    }
}

/// Held messages.
extension ControlClient {
    /// Subscribes to holds: rules hold messages while this connection is open; with a filter, only
    /// those that it selects. `nextEvent` reports held messages.
    public func takeHolds(matching filter: String? = nil) throws(ControlError) {
        _ = try perform(.hold(command: .subscribe(filter: filter)))
    }

    /// Holds what a filter matches, until 10 seconds after this connection has closed; nil ends it.
    public func intercept(_ intercept: Intercept?) throws(ControlError) {
        _ = try perform(.hold(command: .intercept(intercept: intercept)))
    }

    /// The held messages, oldest first; with a filter, only those that it selects.
    public func holds(matching filter: String? = nil) throws(ControlError) -> [HoldSummary] {
        guard case .holds(let holds) = try perform(.hold(command: .list(filter: filter))) else {
            throw Self.unexpected
        }
        return holds
    }

    /// A part of a held message: its head as text, or its content.
    public func read(_ part: HoldPart, of hold: Int64) throws(ControlError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let command = HoldCommand.read(hold: hold, part: part, offset: bytes.count)
            guard case .bytes(let piece, let byteCount) = try perform(.hold(command: command))
            else { throw Self.unexpected }
            bytes += [UInt8](piece)
            if bytes.count >= byteCount || piece.isEmpty { return bytes }
        }
    }

    /// Claims a hold so that others know of it; throws `taken` if another client has.
    public func claim(_ hold: Int64, as name: String) throws(ControlError) {
        _ = try perform(.hold(command: .claim(hold: hold, name: name)))
    }

    /// Lets a hold last for some seconds (`ControlLimits.holdSeconds`), even if this connection
    /// closes; returns it with its deadline.
    public func reserve(_ hold: Int64, seconds: Int64) throws(ControlError) -> HoldSummary {
        let command = HoldCommand.reserve(hold: hold, seconds: seconds)
        guard case .holds(let holds) = try perform(.hold(command: command)), let hold = holds.first
        else { throw Self.unexpected }
        return hold
    }

    /// Writes the replacement for a part of a held message.
    public func write(_ part: HoldPart, of hold: Int64, _ bytes: [UInt8]) throws(ControlError) {
        var offset = 0
        repeat {
            let end = min(bytes.count, offset + ControlLimits.holdPieceByteCountMax)
            let piece = Data(bytes[offset..<end])
            let command = HoldCommand.write(hold: hold, part: part, offset: offset, bytes: piece)
            _ = try perform(.hold(command: command))
            offset = end
        } while offset < bytes.count
    }

    /// Resumes a held message, edited or unchanged, and then applies actions to it.
    public func resume(
        _ hold: Int64, isEdited: Bool = false, actions: [String] = []
    ) throws(ControlError) {
        let command = HoldCommand.resume(hold: hold, isEdited: isEdited, actions: actions)
        _ = try perform(.hold(command: command))
    }

    /// Answers the client of a held message with a head and a body.
    public func answer(_ hold: Int64, head: [UInt8], body: [UInt8]) throws(ControlError) {
        try write(.head, of: hold, head)
        if !body.isEmpty { try write(.body, of: hold, body) }
        _ = try perform(.hold(command: .answer(hold: hold)))
    }

    /// Closes the client's connection of a held message without a response.
    public func drop(_ hold: Int64) throws(ControlError) {
        _ = try perform(.hold(command: .drop(hold: hold)))
    }

    /// Resumes all messages that a filter selects, or all if it is nil; returns their number.
    public func resumeAll(matching filter: String? = nil) throws(ControlError) -> Int {
        let command = HoldCommand.resumeAll(filter: filter)
        guard case .affected(let count) = try perform(.hold(command: command)) else {
            throw Self.unexpected
        }
        return count
    }
}
