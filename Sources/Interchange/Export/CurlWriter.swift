public import ProxydCaptureModel
internal import ProxydCurlCommand
internal import ProxydExchangeContent
internal import ProxydHTTPModel
internal import ProxydParameterCoding
internal import ProxydProtobuf

/// Writes curl commands, one per exchange, each after a comment that identifies the exchange. A
/// request that cannot be repeated exactly gets a comment with the reason instead of a command.
public struct CurlWriter: ExchangeWriting {
    public private(set) var withoutCommandCount = 0

    public init() {}

    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var text = CurlWriter.heading(captured.row)
        if let problem = CurlWriter.problem(captured) {
            withoutCommandCount += 1
            return Array((text + "# no command: \(problem)\n\n").utf8)
        }
        guard
            let command = CurlCommand(
                captured.exchange.request, options: CurlOptions(redaction: nil))
        else {
            withoutCommandCount += 1
            return Array((text + "# no command: the request could not be read\n\n").utf8)
        }
        text += CurlWriter.notSent(command) + command.text(.multiLine) + "\n\n"
        return Array(text.utf8)
    }

    /// A comment that identifies the exchange.
    static func heading(_ row: ExchangeRow) -> String {
        var text = "# \(row.idText)"
        if let method = row.method { text += " \(commentText(method))" }
        if let url = row.url { text += " \(commentText(url))" }
        return text + "\n"
    }

    /// A comment for each part of the request that the command does not send.
    static func notSent(_ command: CurlCommand) -> String {
        command.omissions.map { "# not sent: \(commentText("\($0)"))\n" }.joined()
    }

    /// Why a request cannot be repeated exactly; nil if it can.
    static func problem(_ captured: CapturedExchange) -> String? {
        let request = captured.exchange.request
        if captured.leftOut.contains(where: { $0.hasPrefix("request") }) {
            return "a part of the request was left out"
        }
        guard request.head != nil, request.url != nil else {
            return "the request could not be read"
        }
        if request.head?.isClassicConnect == true { return "a tunnel is not a request to a server" }
        if request.body.isTruncated, captured.exchange.upgradedTo == nil {
            return "\(request.body.kept.count) of \(request.body.byteCount) bytes of the body "
                + "were kept"
        }
        if captured.exchange.state == .active, captured.exchange.timeline[.requestLastByte] == nil {
            return "the request is not complete yet"
        }
        return nil
    }

    /// Text that cannot end a comment: printable ASCII, everything else percent-encoded.
    static func commentText(_ text: String) -> String {
        let shown = PercentEncoding.encoded(text.utf8) { (0x20...0x7E).contains($0) }
        return String(decoding: shown, as: UTF8.self)
    }
}

/// Writes grpcurl commands, one per gRPC call, each after a comment that identifies the exchange. A
/// call that cannot be repeated exactly gets a comment with the reason instead of a command.
public struct GRPCurlWriter: ExchangeWriting {
    /// The maximum total size of the messages in one command, in bytes.
    private static let byteCountMax = 4 << 20
    private static let pageCount = 256

    private let reader: any ExchangeReading
    private let descriptors = DescriptorCache()
    public private(set) var withoutCommandCount = 0

    public init(reader: any ExchangeReading) { self.reader = reader }

    private struct Refusal: Error {
        let reason: String
    }

    public mutating func opening(of captured: CapturedExchange) -> [UInt8] {
        var text = CurlWriter.heading(captured.row)
        do throws(Refusal) {
            text += try command(captured)
        } catch {
            withoutCommandCount += 1
            text += "# no command: \(CurlWriter.commentText(error.reason))\n"
        }
        return Array((text + "\n").utf8)
    }

    // MARK: Commands

    private func command(_ captured: CapturedExchange) throws(Refusal) -> String {
        switch captured.row.spokenProtocol {
        case .grpc: break
        case .grpcWeb: throw Refusal(reason: "grpcurl does not speak gRPC-Web")
        default: throw Refusal(reason: "it is not a gRPC call")
        }
        if let problem = CurlWriter.problem(captured) { throw Refusal(reason: problem) }
        guard let call = GRPCCall(captured.exchange), let name = MethodName(path: call.path),
            call.path == "/\(name)"
        else { throw Refusal(reason: "its path is not that of a method: /package.Service/Method") }
        let (messages, isPartial) = try messages(captured, call, name)
        guard
            let command = GRPCurlCommand(
                captured.exchange.request, method: name.description, messages: messages)
        else { throw Refusal(reason: "the request could not be read") }
        var text = "# grpcurl uses the server's reflection unless -protoset FILE is added\n"
        if isPartial { text += "# not sent: fields of messages that nothing describes\n" }
        for name in command.omittedFields {
            text += "# not sent: the field \(CurlWriter.commentText(name))\n"
        }
        return text + command.text(.multiLine) + "\n"
    }

    /// The client's messages as JSON, and whether any part of them is left out.
    private func messages(
        _ captured: CapturedExchange, _ call: GRPCCall, _ name: MethodName
    ) throws(Refusal) -> (texts: [String], isPartial: Bool) {
        let (rows, registry) = try stored(captured)
        let reading = GRPCReading(call, registry)
        if rows.isEmpty, captured.exchange.request.body.byteCount > 0 {
            throw Refusal(reason: "its messages were not recorded")
        }
        var texts: [String] = []
        var isPartial = false
        for row in rows {
            if row.flags.contains(.cut) || row.flags.contains(.unfinished) {
                throw Refusal(reason: "message \(row.position) is not complete")
            }
            let json = try json(row, reading, name)
            let known = json.withoutUnknown
            isPartial = isPartial || known != json
            texts.append(FieldsText.json(known))
        }
        return (texts, isPartial)
    }

    private func json(
        _ row: MessageRow, _ reading: GRPCReading, _ name: MethodName
    ) throws(Refusal) -> JSONValue {
        switch reading.content(of: row) {
        case .json(let json, _, nil): return json
        case .json(_, _, let problem?), .unreadable(let problem):
            throw Refusal(reason: "message \(row.position) cannot be read: \(problem)")
        case .fields:
            throw Refusal(
                reason: "nothing describes the messages of \(name): give a descriptor set to "
                    + "proxyctl proto add")
        }
    }

    private func stored(
        _ captured: CapturedExchange
    ) throws(Refusal) -> (rows: [MessageRow], registry: DescriptorRegistry) {
        do throws(StoreError) {
            var rows: [MessageRow] = []
            var last: Int64 = -1
            var byteCount = 0
            while byteCount <= GRPCurlWriter.byteCountMax {
                let page = try reader.messages(
                    of: captured.row.id, .after(last), limit: GRPCurlWriter.pageCount,
                    byteCountMax: GRPCurlWriter.byteCountMax)
                guard let end = page.last else { return (rows, try descriptors.registry(reader)) }
                last = end.position
                let ours = page.filter { $0.kind == .grpc && $0.direction == .toServer }
                rows += ours
                byteCount = ours.reduce(byteCount) { $0 + $1.bytes.count }
            }
        } catch {
            throw Refusal(reason: "its messages could not be read: \(error)")
        }
        let limit = GRPCurlWriter.byteCountMax >> 20
        throw Refusal(reason: "its messages have more than \(limit) MiB")
    }
}

extension JSONValue {
    /// The value without fields that are missing from the description.
    fileprivate var withoutUnknown: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutUnknown))
        case .object(let members):
            .object(
                members.filter { $0.name != MessageDecoder.unknownName }
                    .map { Member(name: $0.name, value: $0.value.withoutUnknown) })
        case .null, .bool, .number, .string: self
        }
    }
}
