internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// A message of HTTP/2 or HTTP/3 as Fiddler writes it: like one of HTTP/1, but for the version in
/// its first line. What follows the head is the body.
struct FiddlerHeadText {
    private static let lineByteCountMax = 64 << 10

    private let words: [ArraySlice<UInt8>]
    private let fields: ImportFields
    private let body: Body

    /// Reads a member; nil if it is of another version.
    /// - Parameter failure: Why it was not read as HTTP/1.
    init?(
        _ member: ZIPMember, _ zip: inout ZIPReader, after failure: WireError?,
        _ marks: inout ImportMarks
    ) throws {
        guard let kind = failure?.kind,
            [.unsupportedVersion, .badRequestLine, .badStatusLine].contains(kind)
        else { return nil }
        let bytes = try zip.bytes(member, byteCountMax: ZIPReader.memberByteCountMax)
        var rest = bytes[...]
        guard let line = FiddlerHeadText.nextLine(&rest),
            line.count <= FiddlerHeadText.lineByteCountMax
        else { return nil }
        words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words.contains(where: { FiddlerHeadText.version($0) != nil })
        else { return nil }
        var pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)?] = []
        while let line = FiddlerHeadText.nextLine(&rest), !line.isEmpty {
            pairs.append(FiddlerHeadText.pair(line))
        }
        fields = ImportFields(bytes: pairs, &marks)
        let kept = rest.prefix(RawMessage<RequestHead>.bodyByteCountMax)
        body = Body(byteCount: Int64(rest.count), kept: Array(kept))
        marks.insert(.rebuiltHead)
    }

    /// nil if the first line is not that of a request.
    func request() -> RawMessage<RequestHead>? {
        guard words.count == 3, let version = FiddlerHeadText.version(words[2]) else { return nil }
        let method = HTTPMethod(rawValue: String(decoding: words[0], as: UTF8.self))
        let target = String(decoding: words[1], as: UTF8.self)
        var text = method == .connect ? "tunnel://\(target)" : target
        // HTTP/2 and HTTP/3 are spoken in TLS.
        if text.hasPrefix("/"), let host = fields["Host"] { text = "https://\(host)\(text)" }
        guard let url = try? ImportURL.parse(text, method: method),
            let head = try? fields.requestHead(method: method, url: url, version: version)
        else { return nil }
        return message(head)
    }

    /// nil if the first line is not that of a response.
    func response() -> RawMessage<ResponseHead>? {
        guard let version = FiddlerHeadText.version(words[0]),
            let status = Int64(String(decoding: words[1], as: UTF8.self)),
            let head = fields.responseHead(status: status, reason: nil, version: version)
        else { return nil }
        return message(head)
    }

    private func message<Head: Sendable>(_ head: Head) -> RawMessage<Head> {
        var message = RawMessage(head: head, length: .untilClose)
        message.body = body
        message.isWhole = true
        return message
    }

    /// The text of a version of HTTP/2 or HTTP/3; nil for anything else.
    private static func version(_ word: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: word, as: UTF8.self)
        return ImportFields.version(text) >= .http2 ? text : nil
    }

    /// Takes a line without its end; nil if there is none.
    private static func nextLine(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0A) else { return nil }
        let line = rest[..<end]
        rest = rest[(end + 1)...]
        return line.last == 0x0D ? line.dropLast() : line
    }

    private static func pair(
        _ line: ArraySlice<UInt8>
    ) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard let colon = line.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (line[..<colon], line[(colon + 1)...].drop { ASCII.isOWS($0) })
    }
}
