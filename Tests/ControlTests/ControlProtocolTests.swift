import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydRules
import Testing

@testable import ProxydControl

/// The lines of the protocol: programs of other versions send and read them.
struct ControlProtocolTests {
    private let commands: [(line: String, command: ControlCommand)] = [
        (#"{"status":{}}"#, .status), (#"{"serverRules":{}}"#, .serverRules),
        (#"{"rules":{}}"#, .rules), (#"{"reloadRules":{}}"#, .reloadRules),
        (#"{"clear":{}}"#, .clear(filter: nil)),
        (#"{"clear":{"filter":"host:a/b"}}"#, .clear(filter: "host:a/b")),
        (
            #"{"changeRules":{"change":{"move":{"name":"a","place":{"before":{"name":"b"}}}}}}"#,
            .changeRules(change: .change(.move(name: "a", place: .before("b"))))
        ),
        (
            #"{"changeRules":{"change":{"forgetAll":{}}}}"#, .changeRules(change: .forgetAll)
        ),
        (
            #"{"annotate":{"change":{"addedTags":["t"],"exchangeID":7,"removedTags":[]}}}"#,
            .annotate(change: AnnotationChange(id: ExchangeID(rawValue: 7), addedTags: ["t"]))
        ),
        (
            #"{"noteDelivery":{"progress":{"changesThrough":2,"mark":-1,"through":9}}}"#,
            .noteDelivery(progress: DeliveryProgress(through: 9, mark: -1, changesThrough: 2))
        ),
        (
            #"{"addProtoFile":{"file":{"name":"a.proto","octets":"AP8="}}}"#,
            .addProtoFile(file: ProtoFile(name: "a.proto", source: .given, bytes: [0, 255]))
        ),
        (#"{"removeProtoFile":{"name":"a"}}"#, .removeProtoFile(name: "a")),
        (
            #"{"takeIdentifiers":{"connectionCount":2,"exchangeCount":1}}"#,
            .takeIdentifiers(exchangeCount: 1, connectionCount: 2)
        ),
        (
            #"{"importExchanges":{"connections":[],"updates":[]}}"#,
            .importExchanges(connections: [], updates: [])
        ),
        (#"{"subscribe":{}}"#, .subscribe),
        (
            #"{"toggleInterception":{"host":"a","port":443}}"#,
            .toggleInterception(host: "a", port: 443)
        ),
        (#"{"guardAddress":{"ip":"::1","port":1}}"#, .guardAddress(ip: "::1", port: 1)),
        (#"{"setRecording":{"isOn":false}}"#, .setRecording(isOn: false)),
        (
            #"{"hold":{"command":{"write":{"hold":1,"octets":"YQ==","offset":0,"part":"head"}}}}"#,
            .hold(command: .write(hold: 1, part: .head, offset: 0, bytes: Data("a".utf8)))
        ),
        (
            #"{"hold":{"command":{"resume":{"actions":["a"],"hold":1,"isEdited":true}}}}"#,
            .hold(command: .resume(hold: 1, isEdited: true, actions: ["a"]))
        ),
        (#"{"hold":{"command":{"subscribe":{}}}}"#, .hold(command: .subscribe(filter: nil))),
    ]

    private func text(_ message: some Encodable) throws -> String {
        String(decoding: try ControlCoding.line(message), as: UTF8.self)
    }

    @Test func `each control command is encoded as, and decoded from, a fixed line of JSON`() throws
    {
        for (line, command) in commands {
            let whole = #"{"command":\#(line),"id":3}"#
            #expect(try text(ControlRequest(id: 3, command: command)) == whole + "\n")
            let read = try ControlCoding.message(ControlRequest.self, from: Array(whole.utf8))
            #expect(read == ControlRequest(id: 3, command: command))
        }
    }

    @Test(arguments: [
        (ControlEvent.changed(ids: [1]), #"{"changed":{"ids":[1]}}"#),
        (.removed(exchangeCount: 2), #"{"removed":{"exchangeCount":2}}"#),
        (.recording(stoppedBecause: nil), #"{"recording":{}}"#),
        (.recording(stoppedBecause: "full"), #"{"recording":{"stoppedBecause":"full"}}"#),
        (.holdClaimed(hold: 1, by: nil), #"{"holdClaimed":{"hold":1}}"#),
        (.holdGone(hold: 1, reason: "r"), #"{"holdGone":{"hold":1,"reason":"r"}}"#),
    ])
    func `each control event is one line of JSON with the id of its subscription`(
        _ event: ControlEvent, _ line: String
    ) throws {
        let whole = #"{"event":\#(line),"id":4}"#
        #expect(try text(ControlReply(id: 4, event: event)) == whole + "\n")
        let read = try ControlCoding.message(ControlReply.self, from: Array(whole.utf8))
        #expect(read.event == event && read.result == nil && read.error == nil)
    }

    @Test func `a control error is written with its kind, message and column`() throws {
        let error = ControlError(.badFilter, "a\nb", column: 3)
        let whole = #"{"error":{"column":3,"kind":"badFilter","message":"a\nb"},"id":0}"#
        #expect(try text(ControlReply(id: 0, outcome: .failure(error))) == whole + "\n")
    }

    @Test
    func `a status reply from an older daemon is decoded with nil for fields that are missing`()
        throws
    {
        let old =
            #"{"version":"1","pid":2,"startedAt":3,"listenAddresses":[],"dataDirectory":"/d","#
            + #""clientConnectionCount":0,"serverConnectionCount":0,"activeExchangeCount":0,"#
            + #""finishedExchangeCount":0,"queuedByteCount":0,"droppedExchangeCount":0,"#
            + #""droppedBodyByteCount":0,"droppedConnectionCount":0,"storedExchangeCount":0,"#
            + #""storeByteCount":0,"walByteCount":0}"#
        let status = try ControlCoding.message(DaemonStatus.self, from: Array(old.utf8))
        #expect(status.freeByteCount == nil && status.switchedHosts == nil)
        #expect(status.unrecordedExchangeCount == nil && status.processorNs == nil)
    }

    @Test func `binary data in control messages is encoded as Base64 under fixed JSON keys`() throws
    {
        let piece = ControlResult.bytes(bytes: Data("a".utf8), byteCount: 1)
        #expect(
            try text(ControlReply(id: 1, outcome: .success(piece)))
                == #"{"id":1,"result":{"octets":{"byteCount":1,"octets":"YQ=="}}}"# + "\n")
        let fields = HeaderFields([("A", "b")])
        #expect(
            try text(fields)
                == #"{"lines":[[0,1,3,4,6]],"octets":"QTogYg0K"}"# + "\n")
        let head = RequestHead(method: .get, target: [0x2F], fields: fields)
        #expect(
            try text(head)
                == #"{"lines":[[16,17,19,20,22]],"major":1,"method":"GET","minor":1,"#
                + #""octets":"R0VUIC8gSFRUUC8xLjENCkE6IGINCg0K","rangeEnd":5,"rangeStart":4}"#
                + "\n")
        let message = MessageRecord(
            direction: .toServer, kind: .text, byteCount: 1, content: .bytes([0x61]))
        let keys = try JSONSerialization.jsonObject(with: Data(text(message).utf8))
        #expect(
            (keys as? [String: Any])?.keys.sorted() == [
                "byteCount", "direction", "flags", "kind", "octets", "offsetNs", "position",
                "wireByteCount",
            ])
        let fault = ResponseFault(refusal: .init(bytes: [1], reason: "r"), repairs: ["x"])
        #expect(
            try text(fault)
                == #"{"refusedOctets":"AQ==","refusedReason":"r","repaired":["x"]}"# + "\n")
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "{\"id\":1}", #"{"id":1,"command":{}}"#,
        #"{"id":1,"command":{"status":{},"rules":{}}}"#, #"{"id":1.5,"command":{"status":{}}}"#,
        #"{"id":"1","command":{"status":{}}}"#, #"{"command":{"status":{}}}"#,
        #"{"id":99999999999999999999,"command":{"status":{}}}"#,
        #"{"id":1,"command":{"guardAddress":{"ip":"a","port":65536}}}"#,
        #"{"id":1,"command":{"guardAddress":{"ip":"a","port":-1}}}"#,
        #"{"id":1,"command":{"setRecording":{"isOn":1}}}"#,
        #"{"id":1,"command":{"addProtoFile":{"file":{"name":"a","octets":"!"}}}}"#,
    ])
    func `a line that is not a valid control request is rejected`(_ line: String) {
        let error = #expect(throws: ControlError.self) {
            _ = try ControlCoding.message(ControlRequest.self, from: Array(line.utf8))
        }
        #expect(error?.kind == .badMessage)
    }

    @Test
    func `deeply nested JSON arrays in a control request are rejected without a stack overflow`() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        let line = Array(#"{"id":1,"command":"#.utf8) + deep
        #expect(throws: ControlError.self) {
            _ = try ControlCoding.message(ControlRequest.self, from: line)
        }
    }
}

@Suite struct LineSplitterTests {
    @Test func `the input of a control connection is split into the same lines wherever reads end`()
        throws
    {
        let stream = Array("one\n\ntwo three\nrest\n".utf8)
        for cut in 0...stream.count {
            var splitter = LineSplitter()
            let lines =
                try splitter.receive(stream.span.extracting(0..<cut))
                + splitter.receive(stream.span.extracting(cut..<stream.count))
            #expect(
                lines.map { String(decoding: $0, as: UTF8.self) }
                    == ["one", "", "two three", "rest"])
        }
    }

    @Test func `a line on a control connection may be as long as the limit, but not longer`()
        throws
    {
        var splitter = LineSplitter(byteCountMax: 4)
        #expect(try splitter.receive(Array("abcd\nef".utf8).span).count == 1)
        #expect(throws: ControlError.self) { _ = try splitter.receive(Array("ghi".utf8).span) }
    }
}
