internal import BenchmarkSamples
internal import Foundation
internal import ProxydHTTPModel
internal import ProxydHTTPWire

/// `CountedWork KIND COUNT` does one kind of work so many times, and nothing else: two runs under
/// a counter of instructions differ by what the work costs. `Benchmarks/instructions.py` does that.
@main
enum CountedWork {
    private enum Kind: String, CaseIterable {
        case requestHead = "request-head"
        case responseHead = "response-head"
        case forwardedHead = "forwarded-head"
        case recordedQuery = "recorded-query"
        case recordedJSON = "recorded-json"
        case recordedText = "recorded-text"
        case chunkedBody = "chunked-body"
        case readPage = "read-page"
        case proxiedGet = "proxied-get"
        case proxiedPost = "proxied-post"
        case proxiedMebibyte = "proxied-mebibyte"
        case proxiedByRules = "proxied-by-200-rules"
        case proxiedByOpenRules = "proxied-by-200-open-rules"
        case proxiedHTTP2 = "proxied-h2"
        case proxiedHTTP2Post = "proxied-h2-post"
        case proxiedReverse = "proxied-reverse"
        case proxiedSOCKS = "proxied-socks"
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.dropFirst() == ["kinds"] {
            return Kind.allCases.forEach { print($0.rawValue) }
        }
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[1]),
            let count = Int(arguments[2])
        else {
            let kinds = Kind.allCases.map(\.rawValue).joined(separator: "|")
            print("usage: CountedWork \(kinds) COUNT\n       CountedWork kinds")
            exit(64)
        }
        print(try witness(kind, count))
    }

    /// Something that depends on the work, so that none of it is optimised away.
    private static func witness(_ kind: Kind, _ count: Int) throws -> Int {
        switch kind {
        case .requestHead: try CountedCoding.requests(count)
        case .responseHead: try CountedCoding.responses(count)
        case .forwardedHead: try CountedCoding.forwarded(count)
        case .recordedQuery: try CountedRecording.run(.withQuery, count)
        case .recordedJSON: try CountedRecording.run(.withJSON, count)
        case .recordedText: try CountedRecording.run(.withText, count)
        case .chunkedBody: try CountedCoding.responses(count, WireSamples.chunkedBody)
        case .readPage: try CountedReading.pages(count)
        case .proxiedGet: try CountedProxying.run(.get, count)
        case .proxiedPost: try CountedProxying.run(.post, count)
        case .proxiedMebibyte: try CountedProxying.run(.mebibyte, count)
        case .proxiedByRules: try CountedProxying.run(.get, count, rules: .ofHosts(200))
        case .proxiedByOpenRules: try CountedProxying.run(.get, count, rules: .open(200))
        case .proxiedHTTP2: try CountedProxying.run(.get, count, by: .reverse, overHTTP2: true)
        case .proxiedHTTP2Post:
            try CountedProxying.run(.post, count, by: .reverse, overHTTP2: true)
        case .proxiedReverse: try CountedProxying.run(.get, count, by: .reverse)
        case .proxiedSOCKS: try CountedProxying.run(.get, count, by: .socks)
        }
    }
}
