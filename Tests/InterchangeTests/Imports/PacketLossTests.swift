import ProxydHTTPModel
import ProxydInterchange
import ProxydTestSupport
import Testing

/// Conversations of which a part of the packets is missing, by chance: whatever is missing, nothing
/// is made up, and no request gets the response to another.
struct PacketLossTests: PacketReporting {
    private struct Packet {
        let isSent: Bool
        let bytes: [UInt8]
    }

    /// Requests and responses that say which one they are, in packets of chance sizes.
    private func conversation(_ count: Int, _ chance: inout SplitMix) -> [Packet] {
        (0..<count).flatMap { number in
            let count = Int.random(in: 1...9, using: &chance)
            let body = String(repeating: "<\(number)>", count: count)
            let isUpload = Int.random(in: 0..<3, using: &chance) == 0
            let request =
                isUpload
                ? "POST /\(number) HTTP/1.1\r\nHost: a.test\r\nContent-Length: \(body.utf8.count)"
                    + "\r\n\r\n\(body)" : "GET /\(number) HTTP/1.1\r\nHost: a.test\r\n\r\n"
            return packets(request, isSent: true, &chance)
                + packets(response(body, number, &chance), isSent: false, &chance)
        }
    }

    private func response(_ body: String, _ number: Int, _ chance: inout SplitMix) -> String {
        let half = body.prefix(body.count / 2), rest = body.dropFirst(body.count / 2)
        let chunks = [half, rest].filter { !$0.isEmpty }
            .map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }.joined()
        let head = "HTTP/1.1 200 OK\r\nX-Number: \(number)\r\n"
        return Bool.random(using: &chance)
            ? "\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            : "\(head)Transfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n"
    }

    private func packets(_ text: String, isSent: Bool, _ chance: inout SplitMix) -> [Packet] {
        var rest = Array(text.utf8)[...]
        var packets: [Packet] = []
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 8...200, using: &chance))
            packets.append(Packet(isSent: isSent, bytes: Array(rest.prefix(count))))
            rest = rest.dropFirst(count)
        }
        return packets
    }

    /// What tshark writes: it sees that bytes are missing when the next ones of that side come.
    private func followed(_ packets: [Packet], _ lost: Int, _ chance: inout SplitMix) -> String {
        var text = heading("tcp")
        var missing = [true: 0, false: 0]
        for packet in packets {
            let mark = packet.isSent ? "" : "\t"
            if Int.random(in: 0..<100, using: &chance) < lost {
                missing[packet.isSent, default: 0] += packet.bytes.count
                continue
            }
            if let count = missing[packet.isSent], count > 0 {
                text += mark + hex("[\(count) bytes missing in capture file]\0") + "\n"
                missing[packet.isSent] = 0
            }
            text += mark + hex(packet.bytes) + "\n"
        }
        return text + end
    }

    @Test(arguments: [1, 5, 20, 60])
    func `with random packet loss in a capture, no request gets another request's response`(
        lost: Int
    )
        throws
    {
        var chance = SplitMix(seed: UInt64(lost))
        for _ in 0..<200 {
            let packets = conversation(12, &chance)
            let text = followed(packets, lost, &chance)
            let found = try read(index: row("1700000000.5", true, "GET", ""), followed: text)
            for imported in found.exchanges {
                let exchange = imported.exchange
                // The end of the capture may cut the last head.
                guard let path = exchange.request.url?.pathText, let response = exchange.response,
                    let number = response.head.fields["X-Number"]
                else { continue }
                #expect("/\(number)" == path, "\(text)")
                #expect(!String(decoding: response.body.kept, as: UTF8.self).contains("missing"))
            }
            // Each that lost nothing, and is beside none that did, is whole.
            #expect(found.exchanges.count <= 12)
        }
    }

    @Test func `without packet loss, every exchange of a capture is imported completely`() throws {
        var chance = SplitMix(seed: 7)
        for _ in 0..<50 {
            let text = followed(conversation(12, &chance), 0, &chance)
            let found = try read(index: row("1700000000.5", true, "GET", ""), followed: text)
            #expect(found.exchanges.count == 12)
            #expect(found.exchanges.allSatisfy { $0.exchange.response?.body.isTruncated == false })
            #expect(found.problems.isEmpty && found.leftOut.isEmpty)
        }
    }
}
