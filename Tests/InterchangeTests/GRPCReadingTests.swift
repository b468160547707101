import ProxydCaptureModel
import ProxydContentCoding
import ProxydExchangeContent
import ProxydHTTPModel
import ProxydInterchange
import ProxydParameterCoding
import ProxydProtobuf
import ProxydTestSupport
import Testing

/// Messages of gRPC as JSON, with what describes them and without.
struct GRPCReadingTests {
    private static let path = "/demo.Greeter/SayHello"

    private func message(
        _ bytes: [UInt8], _ direction: MessageRecord.Direction = .toServer,
        flags: MessageRecord.Flags = [], kind: MessageRecord.Kind = .grpc
    ) -> MessageRow {
        MessageRow(
            position: 0, direction: direction, kind: kind, flags: flags, atNs: 0,
            byteCount: Int64(bytes.count), wireByteCount: Int64(bytes.count + 5), problem: nil,
            bytes: bytes)
    }

    private func reading(
        path: String = path, isDescribed: Bool = true,
        request: [(name: String, value: String)] = [],
        response: [(name: String, value: String)] = []
    ) throws -> GRPCReading {
        let files = isDescribed ? [try FileDescriptor(bytes: Greeter.file)] : []
        return GRPCReading(
            GRPCCall(
                path: path, request: HeaderFields(request), response: HeaderFields(response)),
            DescriptorRegistry(files))
    }

    private func text(_ members: [(String, JSONValue)]) -> String {
        var text: [UInt8] = []
        JSONText.write(.members(members), into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `a gRPC message is decoded with the request or response type of its method`() throws
    {
        let reading = try reading()
        #expect(
            text(reading.members(of: message(Greeter.request)))
                == #"{"compressed":false,"json":{"name":"Ada","times":3,"mood":"GLAD"},"#
                + #""type":"demo.HelloRequest"}"#)
        #expect(
            text(reading.members(of: message(Greeter.reply, .toClient)))
                == #"{"compressed":false,"json":{"message":"Hello Ada","#
                + #""at":"2000-02-29T00:00:00Z"},"type":"demo.HelloReply"}"#)
        #expect(reading.line(of: message([0x10, 2])) == #"{"times":2}"#)
    }

    @Test func `a gRPC message without a descriptor is shown as raw Protobuf fields`() throws {
        for reading in [try reading(isDescribed: false), try reading(path: "/demo.Other/Say")] {
            #expect(
                text(reading.members(of: message([0x10, 2])))
                    == #"{"compressed":false,"fields":"#
                    + #"[{"number":2,"wire":"varint","uint":2,"int":2,"sint":1}]}"#)
            let bytes = Greeter.request + [0x2A, 4, 0x0A, 2, 0x08, 5] + [0x32, 2, 0xFF, 0xFE]
            #expect(
                reading.line(of: message(bytes))
                    == #"1: "Ada", 2: 3, 3: 1, 5: {1: {1: 5}}, 6: "//4=""#)
        }
    }

    @Test(arguments: [true, false])
    func `the JSON of a gRPC message can include its decompressed bytes as Base64`(
        isDescribed: Bool
    ) throws {
        let reading = try reading(isDescribed: isDescribed, request: [("grpc-encoding", "gzip")])
        let request = Greeter.request
        let gzip = try ContentEncoder.encode(request.span, as: .gzip)
        for row in [message(Greeter.request), message(gzip, flags: .compressed)] {
            let value = MessageJSON.value(row, grpc: reading, withBytes: true)
            #expect(value[isDescribed ? "json" : "fields"] != nil)
            #expect(value["base64"]?.bytes == Greeter.request)
            #expect(MessageJSON.value(row, grpc: reading)["base64"] == nil)
        }
    }

    @Test
    func `the JSON of a gRPC message that cannot be decompressed has only one copy of its bytes`()
        throws
    {
        let row = message([1, 2, 3], flags: .compressed)
        let value = MessageJSON.value(row, grpc: try reading(), withBytes: true)
        #expect(value.members.filter { $0.name == "base64" }.map(\.value.bytes) == [[1, 2, 3]])
    }

    @Test func `a truncated gRPC message is decoded up to the cut, and the cut is reported`()
        throws
    {
        let cut = try reading().members(of: message([0x10, 2, 0x0A, 9], flags: .cut))
        #expect(
            text(cut)
                == #"{"compressed":false,"json":{"times":2},"type":"demo.HelloRequest","#
                + #""problem":"ends within a field at byte 3"}"#)
    }

    @Test(arguments: ["grpc-encoding", "connect-content-encoding"])
    func `a gRPC message is decompressed using the encoding header of its own direction`(
        field: String
    )
        throws
    {
        let request = Greeter.request
        let gzip = try ContentEncoder.encode(request.span, as: .gzip)
        let reading = try reading(request: [(field, "gzip")])
        let members = reading.members(of: message(gzip, flags: .compressed))
        #expect(members.first?.1 == .bool(true))
        #expect(text(members).contains(#""json":{"name":"Ada""#))
        // Decompressed when it was recorded.
        let already = reading.members(of: message(Greeter.request, flags: .compressed))
        #expect(text(already).contains(#""json":{"name":"Ada""#))
        for unknown in [
            message(gzip, .toClient, flags: .compressed),
            message(Array(gzip.dropLast()), flags: .compressed),
            message(Greeter.request, flags: [.compressed, .stillCompressed]),
        ] {
            let members = reading.members(of: unknown)
            #expect(members.map(\.0) == ["compressed", "base64", "problem"])
        }
    }

    @Test func `a gRPC message is not decompressed beyond the size limit`() throws {
        let zeros = [UInt8](repeating: 0, count: GRPCCall.decompressedByteCountMax + 1)
        let bomb = try ContentEncoder.encode(zeros.span, as: .gzip)
        let members = try reading(request: [("grpc-encoding", "gzip")])
            .members(of: message(bomb, flags: .compressed))
        #expect(members.map(\.0) == ["compressed", "base64", "problem"])
    }

    @Test(arguments: ["application/connect+json", "application/grpc+json; charset=utf-8"])
    func `a gRPC or Connect message that is itself JSON is kept unchanged`(type: String) throws {
        let reading = try reading(request: [("Content-Type", type)])
        let members = reading.members(of: message(Array(#"{"b":1,"a":[1.50]}"#.utf8)))
        #expect(text(members) == #"{"compressed":false,"json":{"b":1,"a":[1.50]}}"#)
        let broken = reading.members(of: message(Array(#"{"b""#.utf8)))
        #expect(broken.map(\.0) == ["compressed", "base64", "problem"])
    }

    @Test func `a message that is not gRPC is shown unchanged even within a gRPC call`() throws {
        let row = message(Array("x".utf8), kind: .text)
        #expect(MessageJSON.value(row, grpc: try reading()) == MessageJSON.value(row))
        let grpc = message([0x10, 2], flags: .compressed)
        guard case .object(let members) = MessageJSON.value(grpc, grpc: try reading()) else {
            Issue.record("no object")
            return
        }
        #expect(members.count { $0.name == "compressed" } == 1)
    }

    // MARK: Statuses

    private func row(_ status: Int?, state: ExchangeState = .complete) -> ExchangeRow {
        var row = ExchangeRow(id: ExchangeID(rawValue: 1), startedAtNs: 0, state: state)
        row.requestContentType = "application/grpc"
        row.grpcStatus = status
        return row
    }

    private func exchange(
        head: [(name: String, value: String)], trailers: [(name: String, value: String)]?
    ) -> Exchange {
        var response = Response(
            head: ResponseHead(status: 200, reason: "OK", fields: HeaderFields(head)))
        response.trailers = trailers.map { HeaderFields($0) }
        return Exchange(
            id: ExchangeID(rawValue: 1), state: .complete, request: Request(url: nil, head: nil),
            response: response, timeline: Timeline(wallStart: 0, start: 0))
    }

    @Test func `a gRPC status is shown with its name and its decoded message`() {
        let inTrailers = exchange(head: [], trailers: [("grpc-message", "no%20such%20user")])
        #expect(GRPCStatusText.line(row(5), inTrailers) == "5 NOT_FOUND: no such user")
        let inHead = exchange(head: [("Grpc-Message", "50% off")], trailers: nil)
        #expect(GRPCStatusText.line(row(99), inHead) == "99: 50% off")
        let silent = exchange(head: [], trailers: [])
        #expect(GRPCStatusText.line(row(0), silent) == "0 OK")
        #expect(GRPCStatusText.line(row(nil), silent) == "none")
        #expect(GRPCStatusText.line(row(nil, state: .active), silent) == nil)
    }
}
