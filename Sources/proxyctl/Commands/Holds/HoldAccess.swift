internal import ProxydControl
internal import ProxydExchangeContent
internal import ProxydParameterCoding

/// Shared code of the hold commands.
enum HoldAccess {
    /// Decides about a hold; errors are reported with its number.
    static func decide(_ hold: Int64, _ body: () throws(ControlError) -> Void) throws {
        do throws(ControlError) {
            try body()
        } catch {
            throw CommandFailure("hold \(hold): \(error.message)")
        }
    }

    /// Prints a decision as JSON.
    /// - Parameter decision: `resumed`, `answered` or `dropped`.
    static func report(_ decision: String, _ hold: Int64) {
        Report().json(
            .members([("hold", .integer(Int(hold))), ("decision", .string(decision))]))
    }

    /// The head of a held message, or nil if it is no longer held.
    static func head(of hold: Int64, _ client: ControlClient) throws -> [UInt8]? {
        try read(.head, of: hold, client, nilFor: .notHeld)
    }

    /// The content of a held message, or nil if the content is not held.
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

    /// The contents of a file; `-` is standard input.
    static func contents(of file: String) throws -> [UInt8] {
        let file = try InputFile(file, .current)
        var contents: [UInt8] = []
        while let piece = try file.next() {
            contents += piece
            guard contents.count <= byteCountMax else {
                throw CommandFailure(
                    "a replacement body must not be larger than 16 MiB", code: .usage)
            }
        }
        return contents
    }

    private static let byteCountMax = 16 << 20
}
