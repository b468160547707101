internal import ProxydContentCoding
internal import ProxydHTTPModel
internal import ProxydHTTPWire
internal import ProxydParameterCoding

/// Finds the messages in one direction of a gRPC, gRPC-Web or Connect call, and the trailers that
/// gRPC-Web and Connect send as the last message.
struct CallReader {
    /// The maximum number of bytes of trailers that are examined.
    private static let trailersByteCountMax = 64 << 10

    private let framing: MessageFraming
    private let direction: MessageRecord.Direction
    /// The compression of the messages, or nil if none is named or it is `identity`.
    private let encoding: String?
    private var scanner = PrefixedMessageScanner()
    /// The bytes of the trailers so far, or nil if the current message is not a trailers message.
    private var trailers: [UInt8]?
    private var hasTrailers = false
    private(set) var status: Int64?

    init(_ framing: MessageFraming, _ direction: MessageRecord.Direction, encoding: String?) {
        self.framing = framing
        self.direction = direction
        self.encoding = encoding?.lowercased() == "identity" ? nil : encoding
    }

    mutating func receive(_ bytes: Span<UInt8>, _ tell: (MessageRecord) -> Void) {
        var offset = 0
        while let part = scanner.next(in: bytes, from: &offset) {
            switch part {
            case .started(let prefix): trailers = isTrailers(prefix) ? [] : nil
            case .payload(let range): keepTrailers(bytes.extracting(range))
            case .ended(let prefix, let range): tell(end(prefix, range))
            }
        }
    }

    /// Returns the message that is unfinished if the body ends here, or nil. If the body was cut
    /// short, the sender is not at fault.
    func finish(isCutShort: Bool) -> MessageRecord? {
        guard let rest = scanner.unfinished() else { return nil }
        guard let prefix = rest.prefix else {
            return MessageRecord(
                direction: direction, kind: .invalid,
                flags: isCutShort ? .unfinished : [.unfinished, .invalid],
                byteCount: rest.range.upperBound &- rest.range.lowerBound,
                content: .body(rest.range), problem: "the body ended within a message's prefix")
        }
        var record = record(prefix, rest.range)
        record.flags.insert(.unfinished)
        if !isCutShort {
            record.flags.insert(.invalid)
            record.problem =
                record.problem
                ?? "\(prefix.length) bytes were announced, and \(record.byteCount) came"
        }
        return record
    }

    /// Whether a message contains trailers; clients never send any.
    private func isTrailers(_ prefix: MessagePrefix) -> Bool {
        direction == .toClient && prefix.isTrailers(in: framing)
    }

    private mutating func keepTrailers(_ bytes: Span<UInt8>) {
        guard let keptCount = trailers?.count else { return }
        let room = min(bytes.count, max(0, CallReader.trailersByteCountMax &- keptCount))
        bytes.extracting(0..<room).withUnsafeBufferPointer { trailers?.append(contentsOf: $0) }
    }

    private mutating func end(_ prefix: MessagePrefix, _ range: Range<Int64>) -> MessageRecord {
        let record = record(prefix, range)
        if let trailers {
            hasTrailers = true
            status = CallStatus.number(in: plain(trailers, prefix), framing)
            self.trailers = nil
        }
        return record
    }

    private func plain(_ trailers: [UInt8], _ prefix: MessagePrefix) -> [UInt8] {
        guard prefix.isCompressed, let encoding else { return trailers }
        let limits = DecodingLimits(decodedByteCountMax: CallReader.trailersByteCountMax)
        return ContentDecoder.decode(trailers.span, contentEncoding: encoding, limits: limits)
            .bytes
    }

    private func record(_ prefix: MessagePrefix, _ range: Range<Int64>) -> MessageRecord {
        let problem = problem(of: prefix)
        var flags: MessageRecord.Flags = prefix.isCompressed ? .compressed : []
        if problem != nil { flags.insert(.invalid) }
        return MessageRecord(
            direction: direction, kind: isTrailers(prefix) ? .trailers : .grpc, flags: flags,
            byteCount: range.upperBound &- range.lowerBound, content: .body(range),
            problem: problem)
    }

    private func problem(of prefix: MessagePrefix) -> String? {
        var reserved = prefix.reservedFlags(in: framing)
        if direction == .toServer { reserved = prefix.flags & ~MessagePrefix.compressedFlag }
        if reserved != 0 { return "its flags 0x\(String(reserved, radix: 16)) mean nothing here" }
        if prefix.isCompressed, encoding == nil {
            return "it is marked as compressed, but no field says with what"
        }
        if hasTrailers { return "it comes after the end of the call" }
        return nil
    }
}

/// Reads the status from the last message of a response.
enum CallStatus {
    /// Connect's names for gRPC's codes, from 1 on (connectrpc.com, "Error codes").
    private static let names = [
        "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found",
        "already_exists", "permission_denied", "resource_exhausted", "failed_precondition",
        "aborted", "out_of_range", "unimplemented", "internal", "unavailable", "data_loss",
        "unauthenticated",
    ]

    /// Returns the status code, or nil if the message contains none.
    static func number(in trailers: [UInt8], _ framing: MessageFraming) -> Int64? {
        framing == .connect ? number(inEnd: trailers) : number(inLines: trailers)
    }

    /// gRPC-Web: field lines as in HTTP/1.
    private static func number(inLines trailers: [UInt8]) -> Int64? {
        for line in trailers.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
            let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, ASCII.text(parts[0]).lowercased() == "grpc-status" else {
                continue
            }
            return Int64(ASCII.text(parts[1]).filter { $0 != " " && $0 != "\t" })
        }
        return nil
    }

    /// Connect: a JSON object; if it has no `error`, the call succeeded.
    private static func number(inEnd trailers: [UInt8]) -> Int64? {
        let reader = JSONReader(limits: JSONLimits(depthMax: 64))
        guard let end = try? reader.read(trailers), case .object = end else { return nil }
        guard let error = member("error", of: end), error != .null else { return 0 }
        guard case .string(let name)? = member("code", of: error) else { return 2 }
        return names.firstIndex(of: name).map { Int64($0) + 1 } ?? 2
    }

    private static func member(_ name: String, of value: JSONValue) -> JSONValue? {
        value.value(at: JSONValuePath([.member(name)]))
    }
}
