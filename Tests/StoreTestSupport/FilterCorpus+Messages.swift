internal import ProxydHTTPModel

/// Exchanges that have messages, and calls.
extension FilterCorpus {
    package static var talkers: [(inout RecordedSubject) -> Void] {
        [chat, closed, events, codedEvents, call, graphQL, batch]
    }

    private static func message(
        _ position: Int64, _ kind: MessageRecord.Kind, _ direction: MessageRecord.Direction,
        _ bytes: [UInt8]
    ) -> MessageRecord {
        MessageRecord(
            position: position, direction: direction, kind: kind, offsetNs: position,
            byteCount: Int64(bytes.count), content: .bytes(bytes))
    }

    private static func chat(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(101, "Switching", fields: [])
        subject.update.upgradedTo = "websocket"
        subject.update.responseBody.set([])
        subject.update.messages = [
            message(0, .text, .toServer, Array("hello é 7".utf8)),
            message(1, .binary, .toClient, [0, 0xFF, 0x37]),
            message(2, .ping, .toClient, Array("alice".utf8)),
        ]
    }

    private static func closed(_ subject: inout RecordedSubject) {
        chat(&subject)
        subject.update.messages = [
            message(0, .close, .toClient, [0, 7] + Array("line".utf8)),
            message(1, .close, .toServer, []),
        ]
    }

    private static func events(_ subject: inout RecordedSubject) {
        let lines = ["event: a\nid: 7\ndata: hello\ndata: Alice\n\n", ": x=1\n\n", "data\r\r"]
        subject.update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "text/event-stream")])
        subject.update.responseBody.set(Array(lines.joined().utf8))
        var start: Int64 = 0
        for (index, text) in lines.enumerated() {
            let count = Int64(text.utf8.count)
            subject.update.messages.append(
                MessageRecord(
                    position: Int64(index), direction: .toClient,
                    kind: index == 1 ? .comment : .event, byteCount: count,
                    content: .body(start..<start + count)))
            start += count
        }
    }

    private static func codedEvents(_ subject: inout RecordedSubject) {
        subject.update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")])
        subject.update.responseBody.set(InterchangeSamples.gzip)
        subject.update.messages = [
            MessageRecord(
                direction: .toClient, kind: .event, byteCount: 5, content: .body(0..<5))
        ]
    }

    private static func call(_ subject: inout RecordedSubject) {
        let url = Samples.url("/a.b.Seven7/Get", scheme: "https")
        subject.update.url = url
        subject.update.requestHead = Samples.requestHead(
            "POST", url, fields: [("Content-Type", "application/grpc+proto")])
        subject.update.responseHead = Samples.responseHead(
            fields: [("Content-Type", "application/grpc")])
        subject.update.responseTrailers = HeaderFields([
            ("grpc-status", "5"), ("grpc-message", "no%20%C3%A9%207"),
        ])
    }

    private static func graphQL(_ subject: inout RecordedSubject) {
        post(&subject, #"{"query": "mutation A7 { a }", "variables": {"a": "7"}}"#)
    }

    private static func batch(_ subject: inout RecordedSubject) {
        post(&subject, #"[{"query": "{ a }"}, {"query": "query Alice { a }"}]"#)
    }

    private static func post(_ subject: inout RecordedSubject, _ body: String) {
        let url = Samples.url("/graphql")
        subject.update.url = url
        subject.update.requestHead = Samples.requestHead(
            "POST", url, fields: [("Content-Type", "application/json")])
        subject.update.requestBody.set(Array(body.utf8))
    }
}
