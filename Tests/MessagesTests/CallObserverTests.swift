import ProxydContentCoding
import ProxydHTTPModel
import ProxydHTTPWire
import ProxydMessages
import Testing

struct CallObserverTests {
    @Test func `gRPC messages of both directions are recorded, wherever the body is split`() {
        let payloads: [[UInt8]] = [[1, 2], [], [UInt8](repeating: 7, count: 300)]
        let body = payloads.flatMap { Observed.message($0) }
        for pieces in Observed.cuts(of: body) {
            let there = Observed(request: Observed.request("application/grpc"), pieces)
            #expect(there.contents == payloads)
            #expect(there.messages.map(\.byteCount) == [2, 0, 300])
            let back = Observed(Observed.response("application/grpc+proto"), pieces)
            #expect(back.contents == payloads)
            for (observed, direction) in [
                (there, MessageRecord.Direction.toServer), (back, .toClient),
            ] {
                #expect(observed.messages.allSatisfy { $0.direction == direction })
                #expect(observed.messages.allSatisfy { $0.kind == .grpc && $0.flags == [] })
                #expect(observed.messages.allSatisfy { $0.problem == nil })
                #expect(observed.grpcStatus == nil)
            }
        }
    }

    @Test func `a gRPC message marked as compressed is invalid if no field names the compression`()
    {
        let body = Observed.message([1, 2], flags: 1)
        let named = Observed(
            Observed.response("application/grpc", ("grpc-encoding", "gzip")), [body])
        #expect(named.messages.map(\.flags) == [.compressed])
        #expect(named.messages.map(\.problem) == [nil])
        for fields: [(String, String)] in [[], [("grpc-encoding", "identity")]] {
            let head = ResponseHead(
                status: 200, reason: "OK",
                fields: HeaderFields([("content-type", "application/grpc")] + fields))
            let observed = Observed(head, [body])
            #expect(observed.messages.map(\.flags) == [[.compressed, .invalid]])
            #expect(observed.messages.first?.problem?.contains("compressed") == true)
        }
    }

    @Test func `a gRPC message with undefined flags is invalid, and the next message is read`() {
        let body = Observed.message([1], flags: 2) + Observed.message([2])
        let observed = Observed(Observed.response("application/grpc"), [body])
        #expect(observed.messages.map(\.flags) == [.invalid, []])
        #expect(observed.messages.first?.problem == "its flags 0x2 mean nothing here")
        let request = Observed(
            request: Observed.request("application/grpc-web"), [Observed.message([1], flags: 0x80)])
        #expect(request.messages.map(\.kind) == [.grpc])
        #expect(request.messages.map(\.flags) == [.invalid])
    }

    @Test func `a gRPC message shorter than announced is invalid unless the call was cut short`() {
        let body: [UInt8] = [0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]
        let observed = Observed(Observed.response("application/grpc"), [body])
        #expect(observed.messages.map(\.flags) == [[.unfinished, .invalid]])
        #expect(
            observed.messages.map(\.problem) == ["4294967295 bytes were announced, and 3 came"])
        #expect(observed.contents == [[1, 2, 3]])
        let cut = Observed(Observed.response("application/grpc"), [body], isCutShort: true)
        #expect(cut.messages.map(\.flags) == [.unfinished])
        #expect(cut.messages.map(\.problem) == [nil])
    }

    @Test func `an incomplete length prefix at the end of a gRPC body is recorded as invalid`() {
        let observed = Observed(
            Observed.response("application/grpc"), [Observed.message([1]) + [0, 0]])
        #expect(observed.messages.map(\.kind) == [.grpc, .invalid])
        #expect(observed.contents == [[1], [0, 0]])
    }

    @Test(arguments: [0x80, 0x81] as [UInt8])
    func `gRPC-Web trailers are recorded with the status in them`(_ flags: UInt8) throws {
        let text = Array("Grpc-Status: 5\r\ngrpc-message:gone%20away\r\n".utf8)
        let trailers = flags == 0x80 ? text : try ContentEncoder.encode(text.span, as: .gzip)
        let body = Observed.message([1]) + Observed.message(trailers, flags: flags)
        for pieces in Observed.cuts(of: body) {
            let observed = Observed(
                Observed.response("application/grpc-web+proto", ("grpc-encoding", "gzip")), pieces)
            #expect(observed.messages.map(\.kind) == [.grpc, .trailers])
            #expect(observed.contents == [[1], trailers])
            #expect(observed.grpcStatus == 5)
        }
    }

    @Test func `grpc-web-text is decoded from Base64 that is padded in the middle`() {
        let trailers = Array("grpc-status:0\r\n".utf8)
        let decoded = Observed.message([1, 2, 3, 4]) + Observed.message(trailers, flags: 0x80)
        let body = Array("AAAAAAQBAgME".utf8) + Array("gAAAAA9ncnBjLXN0YXR1czowDQo=".utf8)
        for pieces in Observed.cuts(of: body) {
            let observed = Observed(
                Observed.response("application/grpc-web-text+proto"), pieces, decoded: decoded)
            #expect(observed.messages.map(\.kind) == [.grpc, .trailers])
            #expect(observed.contents == [[1, 2, 3, 4], trailers])
            #expect(observed.grpcStatus == 0)
        }
        let broken = Observed(
            Observed.response("application/grpc-web-text"), [Array("AAAAAAEB!".utf8)])
        #expect(broken.messages.map(\.kind) == [.grpc, .invalid])
        #expect(broken.messages.last?.problem == "the body is not valid base64")
    }

    @Test(
        arguments: [
            ("{}", 0), (#"{"metadata":{"a":["b"]}}"#, 0), (#"{"error":{"code":"not_found"}}"#, 5),
            (#"{"error":{"code":"unauthenticated","message":"x"}}"#, 16),
            (#"{"error":{"code":"strange"}}"#, 2), (#"{"error":{}}"#, 2), ("[", nil), ("", nil),
        ] as [(String, Int64?)])
    func `the end-of-stream message of a Connect RPC is recorded with its status`(
        _ end: String, _ status: Int64?
    ) {
        let body =
            Observed.message(Array("{\"a\":1}".utf8))
            + Observed.message(Array(end.utf8), flags: 2)
        let observed = Observed(Observed.response("application/connect+json"), [body])
        #expect(observed.messages.map(\.kind) == [.grpc, .trailers])
        #expect(observed.texts == ["{\"a\":1}", end])
        #expect(observed.grpcStatus == status)
    }

    @Test func `a message after the end-of-stream message of a Connect RPC is invalid`() {
        let body = Observed.message(Array("{}".utf8), flags: 2) + Observed.message([1])
        let observed = Observed(Observed.response("application/connect+proto"), [body])
        #expect(observed.messages.map(\.flags) == [[], .invalid])
        #expect(observed.messages.last?.problem == "it comes after the end of the call")
    }
}
