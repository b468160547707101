@testable import ProxydControl
import ProxydHTTPModel
import Testing

/// The line of an import with something in every member, which programs of other versions send and
/// read.
struct ImportLineTests {
    private var connection: ConnectionRecord {
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: 4), side: .server, openedAt: 77, peerAddress: "[::1]:443",
            localAddress: "[::1]:5000")
        record.security = ConnectionRecord.Security(
            version: "TLSv1.3", cipher: "AES", alpn: "h2", serverName: "host",
            peerCertificates: [[1, 2, 255], []], isResumed: true)
        record.security?.requestedAuthorities = ["CN=a"]
        record.process = ConnectionRecord.ClientProcess(pid: 12, name: "curl")
        record.http2 = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)],
            peerSettings: [.init(number: .max, value: .max)], frames: [1, 255])
        record.arrival = .init(
            listener: "main", mode: .reverse, originalAddress: "192.0.2.1:443",
            proxyProtocolPeer: "192.0.2.2:1")
        record.upstream = "corporate"
        return record
    }

    private var update: ExchangeUpdate {
        var timeline = Timeline(wallStart: 1_700_000_000_000_000_001, start: 42)
        timeline.connectionReused = true
        timeline.mark(.requestHead, at: 50)
        timeline.mark(.ended, at: 99)
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 3), state: .failed, timeline: timeline, isFirst: true)
        update.clientConnection = ConnectionID(rawValue: 1)
        update.serverConnection = ConnectionID(rawValue: 2)
        update.url = RawURL(
            scheme: "https", host: "::1", port: 8443, origin: Array("/caf\u{e9}?a[]=1".utf8))
        let all = HeaderFields([(":method", "GET"), (":path", "/"), ("a", "b")])
        update.requestHead = RequestHead(
            bytes: all.bytes, method: .get, targetRange: all.lines[1].valueRange,
            version: .http2, pseudoFields: Array(all.lines[..<2]),
            fields: HeaderFields(bytes: all.bytes, lines: Array(all.lines[2...]))
        ).withCodings([1, 2, 4])
        update.malformedHead = [0xFF, 0x00, 0x0A]
        update.malformedCodings = [FieldCoding(.neverIndexed)]
        update.requestHeadSent = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        update.keepsForeignHost = true
        update.requestBody.appended = [1, 2, 3]
        update.requestBody.byteCount = 3
        update.requestBody.isComplete = true
        update.requestTrailers = HeaderFields([("X-T", "1")])
        update.informational = [
            ResponseHead(status: 103, reason: "Early Hints", fields: HeaderFields([("L", "<a>")]))
        ]
        let head = ResponseHead(
            version: .http10, status: 502, reason: "", fields: HeaderFields([("Via", "\u{9b}")]))
        update.responseHead = ResponseHead(
            bytes: head.bytes, version: .http10, status: 502, reasonRange: head.reasonRange,
            fields: HeaderFields([("Via", "x")]))
        update.responseBody.byteCount = 1_000
        update.sentResponseByteCount = 7
        update.isResponseAbandoned = true
        update.heldNs = 9
        update.responseTrailers = HeaderFields([("Y", "")])
        update.responseFault = ResponseFault(
            refusal: .init(bytes: [1], reason: "r"), repairs: ["x"])
        update.failure = ExchangeFailure(origin: .upstream, kind: .closedEarly, message: "gone")
        update.upgradedTo = "websocket"
        update.replayOf = ExchangeID(rawValue: 2)
        update.http2 = HTTP2Facts()
        update.http2?.clientStream = StreamID(rawValue: 7)
        update.http2?.serverStream = StreamID(rawValue: 9)
        update.http2?.serverVersion = .http10
        update.http2?.reset = .init(side: .server, isOurs: true, code: .refusedStream)
        update.frames = [1, 2, 3]
        update.messages = [
            MessageRecord(
                position: 1, direction: .toClient, kind: .text, flags: [.compressed, .cut],
                offsetNs: 5, byteCount: 6, wireByteCount: 4, content: .bytes([0x61]),
                problem: "p"),
            MessageRecord(
                direction: .toServer, kind: .event, byteCount: 5, content: .body(10..<15)),
        ]
        update.events = [
            .sentRequestBody([1]), .sentResponseHead([2]), .sentResponseBody([3]),
            .responseWithheld, .tagged("t"),
            .appliedRule(
                AppliedRule(
                    rule: "a", phase: .request, outcome: "changed", detail: "b",
                    hold: .init(startNs: 1, durationNs: 2))),
            .appliedRule(AppliedRule(rule: "a", phase: .connect, outcome: "")),
        ]
        update.grpcStatus = 5
        update.user = "alice"
        return update
    }

    private var command: ControlCommand {
        let bare = ExchangeUpdate(
            id: ExchangeID(rawValue: 1), state: .active, timeline: Timeline(wallStart: 1, start: 2),
            isFirst: false)
        let plain = ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: .client, openedAt: 1, peerAddress: "a",
            localAddress: "b")
        return .importExchanges(connections: [connection, plain], updates: [update, bare])
    }

    private let line = #"""
        {"command":{"importExchanges":{"connections":[{"arrival":{"listener":"main","mode"\#
        :"reverse","originalAddress":"192.0.2.1:443","proxyProtocolPeer":"192.0.2.2:1"},"h\#
        ttp2":{"frames":"Af8=","ourSettings":[[3,100]],"peerSettings":[[65535,4294967295]]\#
        },"id":4,"localAddress":"[::1]:5000","openedAt":77,"peerAddress":"[::1]:443","pid"\#
        :12,"processName":"curl","security":{"alpn":"h2","cipher":"AES","isResumed":true,"\#
        peerCertificates":["AQL/",""],"requestedAuthorities":["CN=a"],"serverName":"host",\#
        "showsClientCertificate":false,"version":"TLSv1.3"},"side":"server","upstream":"co\#
        rporate"},{"id":1,"localAddress":"b","openedAt":1,"peerAddress":"a","side":"client\#
        "}],"updates":[{"clientConnection":1,"events":[{"sentRequestBody":"AQ=="},{"sentRe\#
        sponseHead":"Ag=="},{"sentResponseBody":"Aw=="},{"responseWithheld":true},{"tag":"\#
        t"},{"rule":{"detail":"b","holdNs":2,"holdStartNs":1,"outcome":"changed","phase":"\#
        request","rule":"a"}},{"rule":{"outcome":"","phase":"connect","rule":"a"}}],"failu\#
        re":{"kind":"closedEarly","message":"gone","origin":"upstream"},"frames":"AQID","g\#
        rpcStatus":5,"heldNs":9,"http2":{"clientStream":7,"reset":{"code":7,"isOurs":true,\#
        "side":"server"},"serverStream":9,"serverVersion":[1,0]},"id":3,"informational":[{\#
        "lines":[[26,27,29,32,34]],"major":1,"minor":1,"octets":"SFRUUC8xLjEgMTAzIEVhcmx5I\#
        EhpbnRzDQpMOiA8YT4NCg0K","rangeEnd":24,"rangeStart":13,"status":103}],"isFirst":tr\#
        ue,"isResponseAbandoned":true,"keepsForeignHost":true,"malformedCodings":"BA==","m\#
        alformedHead":"/wAK","messages":[{"byteCount":6,"direction":1,"flags":5,"kind":1,"\#
        octets":"YQ==","offsetNs":5,"position":1,"problem":"p","wireByteCount":4},{"bodySt\#
        art":10,"byteCount":5,"direction":0,"flags":0,"kind":17,"offsetNs":0,"position":0,\#
        "wireByteCount":5}],"replayOf":2,"requestBody":{"appended":"AQID","byteCount":3,"i\#
        sComplete":true},"requestHead":{"codings":"AQIE","lines":[[24,25,27,28,30]],"major\#
        ":2,"method":"GET","minor":0,"octets":"Om1ldGhvZDogR0VUDQo6cGF0aDogLw0KYTogYg0K","\#
        pseudoLines":[[0,7,9,12,14],[14,19,21,22,24]],"rangeEnd":22,"rangeStart":21},"requ\#
        estHeadSent":"R0VUIC8gSFRUUC8xLjENCg0K","requestTrailers":{"lines":[[0,3,5,6,8]],"\#
        octets":"WC1UOiAxDQo="},"responseBody":{"byteCount":1000,"isComplete":false},"resp\#
        onseFault":{"refusedOctets":"AQ==","refusedReason":"r","repaired":["x"]},"response\#
        Head":{"lines":[[0,3,5,6,8]],"major":1,"minor":0,"octets":"SFRUUC8xLjAgNTAyIA0KVml\#
        hOiDCmw0KDQo=","rangeEnd":13,"rangeStart":13,"repairedLines":"VmlhOiB4DQo=","statu\#
        s":502},"responseTrailers":{"lines":[[0,1,3,3,5]],"octets":"WTogDQo="},"sentRespon\#
        seByteCount":7,"serverConnection":2,"state":"failed","timeline":{"connectionReused\#
        ":true,"offsets":[null,null,null,8,null,null,null,null,null,null,null,null,null,nu\#
        ll,null,null,null,57],"start":42,"wallStart":1700000000000000001},"upgradedTo":"we\#
        bsocket","url":{"host":"::1","origin":"L2NhZsOpP2FbXT0x","port":8443,"scheme":"htt\#
        ps"},"user":"alice"},{"id":1,"informational":[],"isFirst":false,"requestBody":{"by\#
        teCount":0,"isComplete":false},"responseBody":{"byteCount":0,"isComplete":false},"\#
        state":"active","timeline":{"connectionReused":false,"offsets":[null,null,null,nul\#
        l,null,null,null,null,null,null,null,null,null,null,null,null,null,null],"start":2\#
        ,"wallStart":1}}]}},"id":1}
        """#

    @Test func `an import command is encoded as, and decoded from, a fixed line of JSON`() throws {
        let bytes = try ControlCoding.line(ControlRequest(id: 1, command: command))
        #expect(String(decoding: bytes, as: UTF8.self) == line + "\n")
        let request = try ControlCoding.message(ControlRequest.self, from: Array(line.utf8))
        #expect(request.command == command)
    }

    @Test
    func `an imported connection with an unknown listener mode is kept without its listener data`()
        throws
    {
        let record = try edited(connection) { $0["arrival"] = ["listener": "a", "mode": "odd"] }
        #expect(record.arrival == nil && record.upstream == "corporate")
    }
}
