import Foundation

/// A HAR file as another program would have written it.
enum HARFile {
    /// One request and its response.
    struct Entry {
        var method = "GET"
        var url: String
        var requestFields: [String: String] = [:]
        var requestBody: String?
        var status = 200
        var fields: [String: String] = ["Content-Type": "text/plain"]
        var body = ""
        /// Milliseconds.
        var wait = 1.0
        var receive = 1.0
    }

    /// Writes one; what it holds began in the order of the entries.
    static func write(_ entries: [Entry], to path: String) throws {
        let all = entries.enumerated().map { index, entry in object(entry, index) }
        let log: [String: Any] = [
            "version": "1.2", "creator": ["name": "test", "version": "1"], "entries": all,
        ]
        try JSONSerialization.data(withJSONObject: ["log": log])
            .write(to: URL(fileURLWithPath: path))
    }

    private static func object(_ entry: Entry, _ index: Int) -> [String: Any] {
        var request: [String: Any] = [
            "method": entry.method, "url": entry.url, "httpVersion": "HTTP/1.1",
            "headers": pairs(entry.requestFields), "queryString": [], "cookies": [],
            "headersSize": -1, "bodySize": entry.requestBody?.utf8.count ?? 0,
        ]
        if let body = entry.requestBody {
            request["postData"] = [
                "mimeType": entry.requestFields["Content-Type"] ?? "text/plain", "text": body,
            ]
        }
        let type = entry.fields["Content-Type"] ?? "text/plain"
        return [
            "startedDateTime": "2026-11-23T10:00:0\(index % 10).000Z",
            "time": entry.wait + entry.receive, "cache": [String: String](),
            "timings": ["send": 0, "wait": entry.wait, "receive": entry.receive],
            "request": request,
            "response": [
                "status": entry.status, "statusText": "", "httpVersion": "HTTP/1.1",
                "headers": pairs(entry.fields), "cookies": [], "redirectURL": "",
                "headersSize": -1, "bodySize": entry.body.utf8.count,
                "content": [
                    "size": entry.body.utf8.count, "mimeType": type, "text": entry.body,
                ],
            ],
        ]
    }

    private static func pairs(_ fields: [String: String]) -> [[String: String]] {
        fields.sorted { $0.key < $1.key }.map { ["name": $0.key, "value": $0.value] }
    }
}
