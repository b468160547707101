internal import FoundationEssentials

/// Held messages.
extension ControlClient {
    /// Subscribes to holds: rules hold messages while this connection is open; with a filter, only
    /// those that it selects. `nextEvent` reports held messages.
    public func takeHolds(matching filter: String? = nil) throws(ControlError) {
        _ = try perform(.hold(command: .subscribe(filter: filter)))
    }

    /// The held messages, oldest first; with a filter, only those that it selects.
    public func holds(matching filter: String? = nil) throws(ControlError) -> [HoldMessage] {
        guard case .holds(let holds) = try perform(.hold(command: .list(filter: filter))) else {
            throw Self.unexpected
        }
        return holds
    }

    /// A part of a held message: its head as text, or its content.
    public func read(
        _ part: HoldCommand.Part, of hold: Int64
    ) throws(ControlError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let command = HoldCommand.read(hold: hold, part: part, offset: bytes.count)
            guard case .bytes(let piece, let byteCount) = try perform(.hold(command: command))
            else { throw Self.unexpected }
            bytes += [UInt8](piece)
            if bytes.count >= byteCount || piece.isEmpty { return bytes }
        }
    }

    /// Claims a hold so that others know it is being handled; throws `taken` if another client has
    /// claimed it.
    public func claim(_ hold: Int64, as name: String) throws(ControlError) {
        _ = try perform(.hold(command: .claim(hold: hold, name: name)))
    }

    /// Writes the replacement for a part of a held message.
    public func write(
        _ part: HoldCommand.Part, of hold: Int64, _ bytes: [UInt8]
    ) throws(ControlError) {
        var offset = 0
        repeat {
            let end = min(bytes.count, offset + ControlLimits.holdPieceByteCountMax)
            let piece = Data(bytes[offset..<end])
            let command = HoldCommand.write(
                hold: hold, part: part, offset: offset, bytes: piece)
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
