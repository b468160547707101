internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Reads the streamed entries of a HAR log and their messages.
///
/// In exports of this program the messages come last in their entry, which is passed on before
/// them. Other programs write them earlier: they are held in memory, up to the maximum length of an
/// entry.
struct HAREntryReader {
    private enum Messages {
        /// No messages have been read yet.
        case none
        /// The exchange was passed on, with this start time and this number of messages so far.
        case following(startedAtNs: Int64, count: Int64)
        /// The bytes of messages whose exchange is not known yet.
        case held([[UInt8]])
        case tooLong
    }

    /// Whether an exchange was passed on whose messages have not ended.
    var isWithinMessages: Bool {
        if case .following = messages { true } else { false }
    }

    private let byteCountMax: Int
    private let files: HARFiles?
    private var messages = Messages.none
    private var heldByteCount = 0

    /// - Parameter files: The files beside the log in its archive.
    init(byteCountMax: Int, files: HARFiles?) {
        self.byteCountMax = byteCountMax
        self.files = files
    }

    /// Processes an element and passes on what it completes.
    /// - Throws: `ImportProblem` if an entry is invalid, and errors of `take`.
    mutating func receive(_ element: SplitElement, _ take: (ImportedPart) throws -> Void) throws {
        switch element {
        case .beforeMessages(let bytes):
            guard case .none = messages else { return }
            messages = .held([])
            guard let exchange = HAREntryReader.ours(bytes) else { return }
            messages = .following(
                startedAtNs: exchange.exchange.timeline.wallStart, count: 0)
            try take(.exchange(exchange))
        case .message(let bytes): try receive(message: bytes, take)
        case .bytes(let bytes): try finish(bytes, take)
        case .tooLong:
            reset()
            throw HAREntryReader.tooLong
        }
    }

    private mutating func receive(
        message bytes: [UInt8], _ take: (ImportedPart) throws -> Void
    ) throws {
        switch messages {
        case .none, .tooLong: return
        case .following(let start, let count):
            messages = .following(startedAtNs: start, count: count + 1)
            let value = try InterchangeReader.value(bytes)
            try take(
                .messages([
                    try MessageImport.element(value, position: count, startedAtNs: start)
                ]))
        case .held(var held):
            // Release the array first, so that it is not copied for each new message.
            messages = .tooLong
            heldByteCount += bytes.count
            guard heldByteCount <= byteCountMax else { return }
            held.append(bytes)
            messages = .held(held)
        }
    }

    private mutating func finish(
        _ bytes: [UInt8], _ take: (ImportedPart) throws -> Void
    ) throws {
        let messages = messages
        reset()
        switch messages {
        case .following: return
        case .tooLong: throw HAREntryReader.tooLong
        case .none:
            try take(.exchange(try exchange(bytes)))
        case .held(let held):
            var imported = try exchange(bytes)
            if !held.isEmpty, imported.exchange.upgradedTo == nil {
                imported.exchange.upgradedTo = "websocket"
            }
            let start = imported.exchange.timeline.wallStart
            func message(_ index: Int, _ position: Int = 0) throws(ImportProblem) -> MessageRecord {
                try MessageImport.element(
                    try LenientJSON.value(held[index]).0, position: Int64(position),
                    startedAtNs: start)
            }
            var valid: [Int] = []
            var problem: ImportProblem?
            for index in held.indices {
                do throws(ImportProblem) {
                    _ = try message(index)
                    valid.append(index)
                } catch {
                    problem = problem ?? error
                }
            }
            if problem != nil { ImportMarks.missingMessages.apply(to: &imported.exchange) }
            try take(.exchange(imported))
            for (position, index) in valid.enumerated() {
                try take(.messages([try message(index, position)]))
            }
            if let problem { throw problem }
        }
    }

    private func exchange(_ bytes: [UInt8]) throws(ImportProblem) -> ImportedExchange {
        let (value, marks) = try LenientJSON.value(bytes)
        return try HARImport.exchange(value, files, marks)
    }

    private mutating func reset() {
        messages = .none
        heldByteCount = 0
    }

    private static let tooLong = ImportProblem(
        "it is longer than \(InterchangeReader.entryByteCountMax >> 20) MiB")

    /// The exchange of an entry before its messages; nil if more members may follow, as in files
    /// from other programs.
    private static func ours(_ bytes: [UInt8]) -> ImportedExchange? {
        guard let value = try? InterchangeReader.value(bytes + Array("]}".utf8)),
            value[CaptureDetails.name] != nil
        else { return nil }
        return try? HARImport.exchange(value)
    }
}
