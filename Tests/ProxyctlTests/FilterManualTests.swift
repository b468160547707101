import Foundation
import Testing

@testable import Capture
@testable import ProxydFilter
@testable import proxyctl

/// The filter language's manual says what is so.
@Suite struct FilterManualTests {
    private let store: SampleStore

    init() throws {
        let now = Int64(Date().timeIntervalSince1970 * 1_000) * 1_000_000
        store = try SampleStore(FilterManualStore.exchanges(now: now)) { recorder in
            FilterManualStore.record(into: recorder)
        }
    }

    /// What each example finds in `FilterManualStore`, read from its words.
    private static let found: [String: [Int]] = [
        "login": [2], "\"or\"": [5], "host:SHOP": [1, 2, 4, 7], "host=shop.test": [1, 2, 4, 7],
        "path~^/v[0-9]+/": [3, 5], "path~(?i)\\.PNG$": [4], "status>=400": [3, 5, 6],
        "size>10k": [4, 5], "duration<=250ms": [1, 2, 3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16],
        "status!=200": [2, 3, 5, 6, 9, 10, 12],
        "host!:shop": [3, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        "host:shop method=POST": [2], "host:shop & status=302": [2],
        "status=404 or status=503": [3, 5], "~m PUT | ~m POST": [2, 3, 14, 15, 16],
        "not host:shop": [3, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        "!type:image": [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        "scheme=https (status=404 or status=503)": [3, 5],
        "method=POST": [2, 14, 15, 16], "method:put": [3], "url~^https://": [2, 3, 5, 6, 8, 11],
        "scheme=https": [2, 3, 5, 6, 8, 11], "host:shop": [1, 2, 4, 7], "port=8443": [3],
        "path=/login": [2], "query:page=": [1, 7], "param.user=alice": [2],
        "param.items[0].name=tea": [3], "param.q:\"\"": [1, 7],
        "status=404": [3], "status>=500": [5, 6], "refused:chunk": [5],
        "refused:\"\"": [5], "repaired:\"line feed\"": [4], "repaired:\"\"": [4],
        "proto=h2": [11], "proto=ws": [10, 12], "stream=5": [11], "h2.reset=CANCEL": [11],
        "h2.reset:\"\"": [11], "trailer.grpc-status:\"\"": [11, 14],
        "type:json": [1, 3, 7, 15, 16],
        "header.content-type:json": [1, 3, 7, 15, 16], "header.x-request-id:\"\"": [3],
        "reqheader.user-agent:curl": [1, 7], "resheader.location:\"\"": [2],
        "body:coffee": [1, 7], "reqbody:alice": [2], "resbody~\"price.: [0-9]+\"": [1, 7],
        "reqsize>0": [2, 3, 15, 16], "time>-15m": [7],
        "time=2026-11-20T10:15Z": [1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        "duration>1s": [5], "held>10s": [5], "received_status=200 status>=500": [5],
        "state=failed": [6, 9], "error:certificate": [6],
        "error~^upstream": [6], "client:127.0.0.1:": [1], "process=curl": [1],
        "user=alice": [1, 7],
        "listener=office": [1], "upstream=corp": [1, 7], "id=3": [3],
        "id=ci-17:4711": [], "store=ci-17": [], "store:ci": [],
        "id>=7": [7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "tag=slow": [2], "note:ask": [2],
        "pinned=yes": [7],
        "pinned:no": [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        "size>=20Ki": [4], "duration>1.5s": [5],
        "time>=2026-11-20T10:00Z time<2026-11-20T11:00Z": [
            1, 2, 3, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16,
        ],
        "status=4xx": [3],
        "~u /login$": [2], "~m put": [3], "~d shop": [1, 2, 4, 7], "~c 404": [3],
        "~t json": [1, 3, 7, 15, 16], "~tq form": [2], "~ts image/": [4],
        "~h \"^x-request-id: \"": [3],
        "~hq user-agent:.curl": [1, 7], "~hs ^location:": [2], "~b coffee": [1, 7],
        "~bq alice": [2], "~bs coffee": [1, 7], "~src ^127\\.": [1], "~dst :8443$": [3],
        "~comment ask": [2], "~q": [9], "~s": [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16],
        "~e": [6, 9],
        "~a": [4], "!~a": [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], "~marked": [2, 7],
        "~replay": [7],
        "~replayq": [7], "~websocket": [10, 12], "~tcp": [8], "~http ~d shop": [1, 2, 4, 7],
        "msg:apples": [12, 13], "msg:\"\"": [12, 13], "msg.count>=2": [12], "ws:hello": [12],
        "ws~^\\{.*\"apples\"": [12], "ws.out:hello": [12], "ws.in:hello": [12],
        "ws.count>2": [12], "ws.count=0": [10], "ws.close=1006": [10], "ws.close>1000": [10],
        "sse.event=price": [13], "sse.data:apples": [13], "sse.id=7": [13],
        "grpc.status=NOT_FOUND": [14], "grpc.status>0": [14], "grpc.service:Greeter": [14],
        "grpc.method=SayHello": [14], "grpc.message:\"no such\"": [14],
        "graphql.operation=Basket": [15], "graphql.operation:\"\"": [15, 16],
        "graphql.type=mutation": [16],
        "rule=staging": [5], "rule:\"\"": [5], "resjson.price=12": [1, 7],
        "resjson.items[0].name:\"\"": [3],
        "~all": Array(1...16),
    ]

    @Test func `every example in the filter manual finds the expected exchanges`() throws {
        for entry in FilterManual.sections.flatMap(\.entries) {
            #expect(!entry.examples.isEmpty, "\(entry.form)")
            for example in entry.examples {
                let run = store.run("list", "--json", example.filter)
                let ids = try store.objects(run).compactMap { $0["id"] as? Int }
                #expect(ids == Self.found[example.filter], "\(example.filter): \(run.errors)")
            }
        }
    }

    @Test
    func `the filter manual has exactly one entry for every field and every mitmproxy operator`() {
        let forms = FilterManual.sections.flatMap(\.entries).map(\.form)
        for field in FilterField.allCases {
            let form = field.takesName ? "\(field.rawValue).NAME" : field.rawValue
            #expect(forms.count { $0 == form } == 1, "\(form)")
        }
        for found in MitmproxyOperator.allCases {
            let name = "~\(found.rawValue)"
            #expect(forms.count { $0 == name || $0.hasPrefix("\(name) ") } == 1, "\(name)")
        }
        for comparison in FilterOperator.allCases {
            let text = comparison.rawValue
            #expect(
                forms.contains { $0.hasPrefix("<field>\(text)") || $0.contains(" \(text) ") },
                "\(text)")
        }
    }

    @Test func `every example in the filter manual uses the field or operator it is listed under`()
    {
        for entry in FilterManual.sections.flatMap(\.entries) {
            guard let completion = entry.completion else { continue }
            let name = completion.prefix { $0 == "~" || $0.isLetter }
            for example in entry.examples {
                #expect(example.filter.contains(name), "\(entry.form): \(example.filter)")
            }
        }
    }

    @Test func `every completion in the filter manual is the beginning of a valid filter`() {
        for entry in FilterManual.sections.flatMap(\.entries) {
            guard let completion = entry.completion else { continue }
            let values =
                entry.values + ["1", "200", "x:1", "x=1", "2026-11-20", "yes", "1s", ""]
            #expect(
                values.contains { (try? Filter.parse(completion + $0)) != nil }, "\(completion)")
        }
        #expect(FilterManual.completions(of: "STAT").map(\.completion) == ["status=", "state="])
        #expect(FilterManual.completions(of: "~ts").map(\.completion) == ["~ts "])
        #expect(FilterManual.values(of: "Pinned") == ["yes", "no"])
    }

    @Test(arguments: [["help", "filter"], ["filter"], ["filter", "--help"], ["filter", "-h"]])
    func `proxyctl help filter and proxyctl filter print the whole manual in at most 80 columns`(
        arguments: [String]
    ) {
        let run = CommandRun(arguments)
        #expect(run.code == 0)
        #expect(run.errors.isEmpty)
        for entry in FilterManual.sections.flatMap(\.entries) {
            #expect(run.output.contains("\n  \(entry.form)"), "\(entry.form)")
            for example in entry.examples {
                #expect(run.lines.contains { $0.contains(example.filter) }, "\(example.filter)")
            }
        }
        #expect(run.lines.allSatisfy { $0.count <= 80 })
    }

    @Test
    func `no line of the printed filter manual is wider than the terminal or than 100 columns`() {
        for columns in [60, 100, 300] {
            let run = CommandRun(
                ["help", "filter"], columns: columns, environment: ["NO_COLOR": "1"])
            #expect(run.lines.allSatisfy { $0.count <= min(columns, 100) })
            #expect(!run.lines.contains { $0.hasSuffix("…") })
        }
    }

    // MARK: docs/FILTER.md

    /// The document is made of the manual. To write it anew: `FILTER_MD=write`, and run this test.
    @Test func `the filter documentation matches the filter manual in the source code`() throws {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let url = root.appending(path: "docs/FILTER.md")
        if ProcessInfo.processInfo.environment["FILTER_MD"] == "write" {
            try FilterDocument.text.write(to: url, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == FilterDocument.text)
    }
}

/// docs/FILTER.md as the filter language's manual makes it.
enum FilterDocument {
    static var text: String {
        var text = """
            # The filter language

            A filter selects exchanges. It is the same in `proxyctl list`, `tail`, `export`, \
            `replay --filter`, `clear`
            and the terminal interface's `/`. `proxyctl help filter` prints this page's
            tables; both are generated from `Sources/Filter/Manual`, and a test runs every example.

            Quote a filter in the shell, where `< > ( ) ! & | ~` and spaces have meanings of their \
            own:
            `proxyctl list 'status>=400 host:shop'`. Several words are one filter: \
            `list host:shop method=POST`.

            A filter has at most \(FilterGrammar.filterByteCountMax) bytes, at most \
            \(FilterGrammar.tokenCountMax) words, tests, operators and parentheses (counted
            together), and at most \(FilterGrammar.depthMax) levels of parentheses and `not`. \
            A mistake is reported with its column; `proxyctl` then exits with status 64.

            """
        for section in FilterManual.sections + [FilterManual.messageFilters] {
            text += self.text(of: section)
        }
        return text
    }

    private static func text(of section: FilterSection) -> String {
        var text = "\n## \(section.title)\n\n"
        if let note = section.note { text += "\(escaped(note))\n\n" }
        text += "| write | it means | for example | which finds |\n|---|---|---|---|\n"
        for entry in section.entries {
            var first = "| \(code(entry.form)) | \(escaped(entry.meaning)) "
            for example in entry.examples {
                text += "\(first)| \(code(example.filter)) | \(escaped(example.finding)) |\n"
                first = "| | "
            }
        }
        return text
    }

    /// Code inside a table, where a bar ends the cell even inside of code.
    private static func code(_ text: String) -> String {
        "`\(text.replacing("|", with: "\\|"))`"
    }

    /// Text in which nothing is markup.
    private static func escaped(_ text: String) -> String {
        text.map { "\\`*_<>|[]~".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}
