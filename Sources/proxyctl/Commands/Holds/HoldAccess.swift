internal import ProxydControl

/// What the commands about holds share.
enum HoldAccess {
    /// Decides about a hold; what is wrong with that is told with its number.
    static func decide(_ hold: Int64, _ body: () throws(ControlError) -> Void) throws {
        do throws(ControlError) {
            try body()
        } catch {
            throw CommandFailure("hold \(hold): \(error.message)")
        }
    }

    /// A held message's head; nil where it is not held any more.
    static func head(of hold: Int64, _ client: ControlClient) throws -> [UInt8]? {
        try read(.head, of: hold, client, nilFor: .notHeld)
    }

    /// A held message's content; nil where that is not held.
    static func content(of hold: Int64, _ client: ControlClient) throws -> [UInt8]? {
        try read(.body, of: hold, client, nilFor: .badEdit)
    }

    private static func read(
        _ part: HoldCommand.Part, of hold: Int64, _ client: ControlClient,
        nilFor kind: ControlError.Kind
    ) throws -> [UInt8]? {
        do throws(ControlError) {
            return try client.read(part, of: hold)
        } catch {
            guard error.kind == kind else { throw CommandFailure(error.message) }
            return nil
        }
    }

    /// All of a file; `-` is standard input.
    static func contents(of file: String) throws -> [UInt8] {
        let file = try InputFile(file, .current)
        var contents: [UInt8] = []
        while let piece = try file.next() {
            contents += piece
            guard contents.count <= byteCountMax else {
                throw CommandFailure("more than 16 MiB cannot take a body's place", code: .usage)
            }
        }
        return contents
    }

    private static let byteCountMax = 16 << 20
}
