import Capture
import ProxydCivilTime
import Foundation
import ProxydHTTPModel
import ProxydStoreTestSupport
import Testing

/// What HAR 1.2 asks of an entry.
struct InterchangeHARTests {
    private func entries() throws -> [[String: Any]] { try InterchangeStore().harEntries() }

    private func object(_ value: Any?) throws -> [String: Any] {
        try #require(value as? [String: Any])
    }

    private func objects(_ value: Any?) throws -> [[String: Any]] {
        try #require(value as? [[String: Any]])
    }

    @Test func `every exported HAR entry has all required members with the right types`() throws {
        let entries = try entries()
        #expect(entries.count == 15)
        for entry in entries {
            #expect(entry["startedDateTime"] is String)
            #expect(entry["cache"] is [String: Any])
            let time = try #require(entry["time"] as? NSNumber).doubleValue
            #expect(time.isFinite && time >= 0)
            let request = try object(entry["request"])
            for name in ["method", "url", "httpVersion"] { #expect(request[name] is String) }
            for name in ["cookies", "headers", "queryString"] {
                for pair in try objects(request[name]) {
                    #expect(pair["name"] is String && pair["value"] is String)
                }
            }
            let response = try object(entry["response"])
            for name in ["statusText", "httpVersion", "redirectURL"] {
                #expect(response[name] is String)
            }
            let content = try object(response["content"])
            #expect(content["size"] is NSNumber && content["mimeType"] is String)
            for message in [request, response] {
                #expect(message["headersSize"] is NSNumber && message["bodySize"] is NSNumber)
            }
            let timings = try object(entry["timings"])
            for name in ["send", "wait", "receive"] {
                #expect(try #require(timings[name] as? NSNumber).doubleValue >= 0)
            }
        }
    }

    @Test
    func `exported HAR timings sum to the entry's time; connect includes ssl; unknown ones are -1`()
        throws
    {
        var update = Samples.complete(ExchangeID(rawValue: 1))
        let moments: [(Moment, Int64)] = [
            (.requestHead, 0), (.dnsStart, 1_000_000), (.dnsEnd, 3_000_000),
            (.connectStart, 3_000_000), (.connectEnd, 6_000_000), (.tlsStart, 6_000_000),
            (.tlsEnd, 10_000_000), (.sendStart, 10_000_000), (.sendEnd, 15_000_000),
            (.responseFirstByte, 21_000_000), (.responseLastByte, 28_000_500),
        ]
        for (moment, time) in moments { update.timeline[moment] = time }
        let store = try InterchangeStore { recorder in
            recorder.record(update)
            recorder.record(InterchangeHARTests.early(recorder))
            try recorder.flush()
        }
        let entries = try store.harEntries()
        let timings = try object(entries[0]["timings"]).compactMapValues { $0 as? Double }
        #expect(
            timings == [
                "blocked": 1, "dns": 2, "connect": 7, "ssl": 4, "send": 5, "wait": 6,
                "receive": 7.001,
            ])
        #expect(entries[0]["time"] as? Double == 28.001)
        // Answered while the request was still being sent: nothing is counted twice.
        let early = try object(entries[1]["timings"]).compactMapValues { $0 as? Double }
        #expect(
            early == [
                "blocked": 1, "dns": -1, "connect": -1, "ssl": -1, "send": 2, "wait": 0,
                "receive": 4,
            ])
    }

    private static func early(_ recorder: Recorder) -> ExchangeUpdate {
        _ = recorder.nextExchangeID()
        var update = Samples.complete(recorder.nextExchangeID())
        update.timeline = Timeline(wallStart: Samples.wallStart, start: 0)
        let moments: [(Moment, Int64)] = [
            (.requestHead, 0), (.sendStart, 1_000_000), (.responseFirstByte, 3_000_000),
            (.sendEnd, 5_000_000), (.responseLastByte, 7_000_000),
        ]
        for (moment, time) in moments { update.timeline[moment] = time }
        return update
    }

    @Test func `exported HAR cookies keep all attributes, and Set-Cookie lines stay separate`()
        throws
    {
        let entry = try entries()[1]
        let sent = try objects(try object(entry["request"])["cookies"])
        #expect(sent.map { $0["name"] as? String } == ["sid", "b"])
        #expect(sent.map { $0["value"] as? String } == ["s3cr3t-cookie", "2"])
        let set = try objects(try object(entry["response"])["cookies"])
        #expect(set.count == 2)
        #expect(set[0]["expires"] as? String == "2026-10-21T07:28:00.000Z")
        #expect(set[0]["httpOnly"] as? Bool == true)
        #expect(set[0]["secure"] as? Bool == false)
        #expect(set[1]["domain"] as? String == "x.test")
        #expect(set[1]["secure"] as? Bool == true)
        #expect(set[1]["_sameSite"] as? String == "Lax")
        #expect(set[1]["_maxAge"] as? String == "5")
    }

    @Test(arguments: [
        ("Wed, 21 Oct 2026 07:28:00 GMT", 1_792_567_680), ("Thu, 01-Jan-1970 00:00:10 GMT", 10),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6 nov 94 8:49:37", 784_111_777),
    ])
    func `the HAR export reads cookie dates in all common formats`(text: String, seconds: Int64)
        throws
    {
        let store = try InterchangeStore { recorder in
            var update = Samples.complete(recorder.nextExchangeID())
            update.responseHead = Samples.responseHead(
                fields: [("Set-Cookie", "a=1; Expires=\(text)")])
            recorder.record(update)
            try recorder.flush()
        }
        let response = try object(try store.harEntries()[0]["response"])
        let expires = try objects(response["cookies"])[0]["expires"] as? String
        #expect(expires == RFC3339.text(nanoseconds: seconds * 1_000_000_000))
    }

    @Test func `the HAR export decodes query and form parameters and names uploaded files`() throws
    {
        let entries = try entries()
        let query = try objects(try object(entries[0]["request"])["queryString"])
        #expect(query.map { $0["name"] as? String } == ["q", "tags[]", "flag"])
        #expect(query.map { $0["value"] as? String } == ["café noir", "a", ""])
        let post = try object(try object(entries[4]["request"])["postData"])
        let parameters = try objects(post["params"])
        #expect(parameters[0]["value"] as? String == "hunter2")
        #expect(parameters[1]["fileName"] as? String == "a.bin")
        #expect(parameters[1]["contentType"] as? String == "application/octet-stream")
        #expect(parameters[1]["value"] == nil)
        #expect(try object(entries[0]["request"])["postData"] == nil)
    }

    @Test func `multipart fields in any charset are exported to HAR in UTF-8`() throws {
        let store = try InterchangeStore { recorder in
            let head = Array("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8)
            let update = Samples.complete(
                recorder.nextExchangeID(), method: "POST",
                fields: [("Content-Type", "multipart/form-data; boundary=B; charset=Shift_JIS")],
                requestBody: head + [0x83, 0x41] + Array("\r\n--B--\r\n".utf8))
            recorder.record(update)
            try recorder.flush()
        }
        let request = try object(try store.harEntries()[0]["request"])
        let parameters = try objects(try object(request["postData"])["params"])
        #expect(parameters.first?["value"] as? String == "ア")
    }

    @Test func `exported HAR content is decoded, and bodySize is the transferred size`() throws {
        let entries = try entries()
        let gzip = try object(entries[2]["response"])
        let content = try object(gzip["content"])
        #expect(content["text"] as? String == "hello hello hello")
        #expect(content["size"] as? Int == 17)
        #expect(gzip["bodySize"] as? Int == InterchangeSamples.gzip.count)
        #expect(content["compression"] as? Int == 17 - InterchangeSamples.gzip.count)
        let image = try object(try object(entries[4]["response"])["content"])
        #expect(image["encoding"] as? String == "base64")
        #expect(image["text"] as? String == "iVBORw0KAP8=")
        let cut = try object(try object(entries[6]["response"])["content"])
        #expect(cut["comment"] as? String == "5 of 9999 bytes were kept")
        #expect(cut["size"] as? Int == 9_999)
    }

    @Test func `an exchange without a response is exported to HAR with status 0 and its error`()
        throws
    {
        let entries = try entries()
        for index in [10, 11, 14] {
            let response = try object(entries[index]["response"])
            #expect(response["status"] as? Int == 0)
            #expect(response["bodySize"] as? Int == -1)
        }
        let refused = try object(entries[10]["response"])
        #expect(refused["_error"] as? String == "upstream connectionRefused: it was refused")
        let malformed = try object(entries[11]["request"])
        #expect(malformed["url"] as? String == "about:invalid")
        #expect(try object(entries[11]["_capture"])["state"] as? String == "failed")
    }

    @Test func `the HAR export lists applied rules only in the entry of their exchange`() throws {
        let entries = try entries()
        let rules = try objects(entries[13]["_rules"])
        #expect(rules.map { $0["rule"] as? String } == ["key", "tea", "key"])
        #expect(rules.map { $0["phase"] as? String } == ["request", "response", "response"])
        #expect(rules[0]["detail"] as? String == "token=s3cr3t-detail")
        #expect(rules[1]["detail"] is NSNull)
        #expect(entries.count { $0["_rules"] != nil } == 1)
    }

    @Test
    func `the HAR export has addresses and notes; _capture holds data that has no field in HAR`()
        throws
    {
        let entries = try entries()
        #expect(entries[0]["serverIPAddress"] as? String == "2001:db8::1")
        #expect(entries[0]["connection"] as? String == "2")
        #expect(entries[1]["comment"] as? String == "the login")
        let capture = try object(entries[3]["_capture"])
        #expect(capture["replay_of"] as? Int == 1)
        #expect(try object(entries[1]["_capture"])["tags"] as? [String] == ["auth", "slow"])
        let head = try object(try object(entries[0]["_capture"])["request"])["head"] as? String
        let bytes = [UInt8](Data(base64Encoded: head ?? "") ?? Data())
        #expect(bytes.starts(with: "GET http://example.test/search?".utf8))
    }
}
