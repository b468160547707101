import ProxydCaptureModel
import ProxydHTTPModel
import ProxydProtobuf
import Testing

@testable import Capture
@testable import ProxydTUI

/// Messages that mean more than their bytes: events, and calls of gRPC.
@Suite struct `What messages mean` {
    private let call = DetailSamples.exchange(
        1, .post, "/shop.Orders/Get", [(name: "Content-Type", value: "application/grpc")], "",
        [(name: "Content-Type", value: "application/grpc")], [])

    /// `message Order { string name = 1; int32 count = 2; }`, both ways of `shop.Orders/Get`.
    private static func descriptor() throws -> FileDescriptor {
        func part(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
            [number << 3 | 2, UInt8(bytes.count)] + bytes
        }
        func text(_ number: UInt8, _ text: String) -> [UInt8] { part(number, Array(text.utf8)) }
        func field(_ name: String, _ number: UInt8, type: UInt8) -> [UInt8] {
            part(2, text(1, name) + [3 << 3, number, 4 << 3, 1, 5 << 3, type])
        }
        let order = text(1, "Order") + field("name", 1, type: 9) + field("count", 2, type: 5)
        let get = text(1, "Get") + text(2, ".shop.Order") + text(3, ".shop.Order")
        return try FileDescriptor(
            bytes: text(1, "shop.proto") + text(2, "shop") + part(4, order)
                + part(6, text(1, "Orders") + part(2, get)) + text(12, "proto3"))
    }

    private let order: [UInt8] = [0x0A, 0x03, 0x74, 0x65, 0x61, 0x10, 0x96, 0x01]

    private func opened(
        _ messages: [MessageRow], _ exchange: Exchange, _ descriptors: [FileDescriptor] = []
    ) -> DetailPlayer {
        let player = DetailPlayer(
            [exchange], rows: 40, messages: messages, descriptors: descriptors)
        player.press(Key("8"))
        return player
    }

    @Test
    func `a server-sent event's data is shown in a viewer; pressing x shows the original lines`() {
        let event = "event: price\nid: 7\ndata: {\"eur\":\ndata: 12}\n\n"
        let stream = DetailSamples.answer("text/event-stream", [])
        let player = opened(
            [MessageSamples.row(0, event, .event), MessageSamples.row(1, ": hello\n", .comment)],
            stream)
        #expect(player.text.contains("event: price"))
        #expect(player.text.contains("id: 7"))
        #expect(player.text.contains("[json]"))
        #expect(player.text.contains("eur: 12"))
        #expect(player.text.contains("x: its bytes"))
        player.press(Key("C"))
        #expect(player.copied.last?.bytes == Array("{\"eur\":\n12}".utf8))
        player.press(Key("x"))
        #expect(player.text.contains("[events]"))
        #expect(player.text.contains("x: its meaning"))
        player.press(Key("C"))
        #expect(player.copied.last?.bytes == Array(event.utf8))
        player.press(Key("j"), Key("x"))
        #expect(player.text.contains("its text is the same as its bytes"))
        #expect(player.text.contains("hello"))
    }

    @Test func `a gRPC message without a descriptor is shown with its values`() {
        let player = opened([MessageSamples.row(0, order, .grpc, toServer: true)], call)
        #expect(player.text.contains("[json]"))
        #expect(player.text.contains("tea"))
        #expect(player.text.contains("150"))
        player.press(Key("x"))
        #expect(player.text.contains("[protobuf]"))
    }

    @Test
    func `the list and the viewer show a gRPC message with a descriptor as JSON with field names`()
        throws
    {
        let player = opened(
            [MessageSamples.row(0, order, .grpc, toServer: true)], call,
            [try Self.descriptor()])
        let line = player.content.first { $0.contains("grpc") } ?? ""
        #expect(line.contains("\"name\"") && line.contains("tea"), "\(line)")
        #expect(player.text.contains("name: \"tea\""))
        #expect(player.text.contains("count: 150"))
        player.press(Key("c"))
        let copied = player.copied.last.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(copied?.contains("tea") == true)
    }

    @Test
    func `for a gRPC message that cannot be decompressed, the problem and the bytes are shown`() {
        let broken = MessageSamples.row(0, [0x1F, 0x8B, 0, 1], .grpc, flags: [.compressed])
        let player = opened([broken], call)
        #expect(player.text.contains("compressed in an unknown way, or damaged"))
        #expect(player.text.contains("1f 8b 00 01"))
    }
}
