internal import Foundation

/// Held messages.
extension ControlClient {
    /// Takes holds from now on: rules hold messages while this connection is open; with a filter
    /// only what it selects. `nextEvent` tells what is held.
    public func takeHolds(matching filter: String? = nil) throws(ControlError) {
        _ = try perform(.hold(command: .subscribe(filter: filter)))
    }

    /// What is held, oldest first; with a filter only what it selects.
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
        var octets: [UInt8] = []
        while true {
            let command = HoldCommand.read(hold: hold, part: part, offset: octets.count)
            guard case .octets(let piece, let byteCount) = try perform(.hold(command: command))
            else { throw Self.unexpected }
            octets += [UInt8](piece)
            if octets.count >= byteCount || piece.isEmpty { return octets }
        }
    }

    /// Tells others that a hold is being decided about; `taken` where someone else has said so.
    public func claim(_ hold: Int64, as name: String) throws(ControlError) {
        _ = try perform(.hold(command: .claim(hold: hold, name: name)))
    }

    /// Writes what a part of a held message is to become.
    public func write(
        _ part: HoldCommand.Part, of hold: Int64, _ octets: [UInt8]
    ) throws(ControlError) {
        var offset = 0
        repeat {
            let end = min(octets.count, offset + ControlLimits.holdPieceByteCountMax)
            let piece = Data(octets[offset..<end])
            let command = HoldCommand.write(
                hold: hold, part: part, offset: offset, octets: piece)
            _ = try perform(.hold(command: command))
            offset = end
        } while offset < octets.count
    }

    /// Lets a held message go on: as it was written, or as it was; then with actions done to it.
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

    /// Ends the client's connection of a held message without an answer.
    public func drop(_ hold: Int64) throws(ControlError) {
        _ = try perform(.hold(command: .drop(hold: hold)))
    }

    /// Lets everything go on that a filter selects, everything where it is nil; how many that are.
    public func resumeAll(matching filter: String? = nil) throws(ControlError) -> Int {
        let command = HoldCommand.resumeAll(filter: filter)
        guard case .affected(let count) = try perform(.hold(command: command)) else {
            throw Self.unexpected
        }
        return count
    }
}
