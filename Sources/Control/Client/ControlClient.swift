/// A blocking connection to a running daemon, for command-line tools. One thread uses it.
public final class ControlClient {
    private let connection: BlockingConnection
    private let timeoutNs: Int64
    private var nextID: Int64 = 1
    private var waitingEvents: [ControlEvent] = []

    /// Connects to the daemon of a data directory; `notRunning` where there is none. Each command
    /// may take `timeoutNs` nanoseconds.
    public init(dataDirectory: String, timeoutNs: Int64 = 10_000_000_000) throws(ControlError) {
        connection = try BlockingConnection(directoryPath: dataDirectory)
        self.timeoutNs = timeoutNs
    }

    /// Sends a command and waits for what comes of it.
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

    /// How the daemon is.
    public func status() throws(ControlError) -> DaemonStatus {
        guard case .status(let report) = try perform(.status) else { throw Self.unexpected }
        return report
    }

    /// What the daemon knows of servers; `badMessage` from one that is older than the question.
    public func serverRules() throws(ControlError) -> ServerRulesMessage {
        guard case .serverRules(let rules) = try perform(.serverRules) else {
            throw Self.unexpected
        }
        return rules
    }

    /// The rules in force, and what they have done; `badMessage` from a daemon that knows none.
    public func rules() throws(ControlError) -> RulesMessage {
        guard case .rules(let rules) = try perform(.rules) else { throw Self.unexpected }
        return rules
    }

    /// Has the file of rules read again; the answer's problems say what is wrong with it.
    public func reloadRules() throws(ControlError) -> RulesMessage {
        guard case .rules(let rules) = try perform(.reloadRules) else { throw Self.unexpected }
        return rules
    }

    /// Changes the rules in the daemon's memory only: gone when it ends. `badRules` for mistakes,
    /// a line each.
    public func changeRules(_ change: RuleChangeMessage) throws(ControlError) -> RulesMessage {
        guard case .rules(let rules) = try perform(.changeRules(change: change)) else {
            throw Self.unexpected
        }
        return rules
    }

    /// Deletes what a filter matches, everything where it is nil; how many exchanges that were.
    public func clear(filter: String?) throws(ControlError) -> Int {
        try affected(.clear(filter: filter))
    }

    /// Changes note, tags or pin of an exchange; `notFound` where there is none.
    public func annotate(_ change: AnnotationMessage) throws(ControlError) {
        _ = try affected(.annotate(change: change))
    }

    /// Keeps a file that describes messages, in place of one of its name.
    public func addProtoFile(_ file: ProtoFileMessage) throws(ControlError) {
        _ = try perform(.addProtoFile(file: file))
    }

    /// Forgets the file of a name that describes messages; `notFound` where there is none.
    public func removeProtoFile(named name: String) throws(ControlError) {
        _ = try perform(.removeProtoFile(name: name))
    }

    /// Stops or resumes recording.
    public func setRecording(_ isOn: Bool) throws(ControlError) {
        _ = try perform(.setRecording(isOn: isOn))
    }

    /// Opens TLS to a host that passes unread, or the other way round, for its next connections;
    /// whether it is opened then.
    public func toggleInterception(ofHost host: String, port: UInt16) throws(ControlError) -> Bool {
        let command = ControlCommand.toggleInterception(host: host, port: port)
        guard case .interception(let isOpened) = try perform(command) else {
            throw Self.unexpected
        }
        return isOpened
    }

    /// Asks for events from now on; `nextEvent` gives them.
    public func subscribe() throws(ControlError) {
        _ = try perform(.subscribe)
    }

    /// The next event; nil when none comes within `timeoutNs` nanoseconds. `closed` means that the
    /// daemon ended, or dropped this subscriber because it did not keep up.
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
