import ClientLib
import Foundation

// Blocks 1 to 27 of Alamofire 5.12's Usage.md, as text of our own: the same calls, and nothing
// changed but the import. Each function is named for its block; AlamofireBlockTests has the table.

extension BlockRun {
    private struct Pair: Encodable { let twoWords: Int }
    struct Greeting: Codable, Sendable { var name: String? }

    func usage1() {
        AF.request("\(base)/1").response { answer in debugPrint(answer) }
    }

    func usage4() {
        let all: [HTTPMethod] = [
            .connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace,
        ]
        keep(Set(all.map(\.rawValue)).count == all.count && HTTPMethod(rawValue: "GET") == .get)
    }

    func usage5() throws {
        var wish = URLRequest(url: try url("/5"))
        wish.method = .put
        keep(wish.httpMethod == "PUT" && wish.method == .put)
    }

    func usage6() {
        start(AF.request("\(base)/6"))
        start(AF.request("\(base)/6", method: .post))
        start(AF.request("\(base)/6", method: .put))
        start(AF.request("\(base)/6", method: .delete))
    }

    func usage7() { start(AF.request("\(base)/7", method: .brew)) }

    func usage8() {
        AF.request("\(base)/8", requestModifier: { $0.timeoutInterval = 9 }).response { _ in }
    }

    func usage10() {
        AF.request(
            "\(base)/10", method: .post, parameters: Greeting(name: "Ada"),
            encoder: JSONParameterEncoder.default
        ).response { answer in debugPrint(answer) }
    }

    func usage11() {
        let search = ["word": "tea"]
        start(AF.request("\(base)/11", parameters: search))
        start(
            AF.request(
                "\(base)/11", parameters: search, encoder: URLEncodedFormParameterEncoder.default))
        start(
            AF.request(
                "\(base)/11", parameters: search,
                encoder: URLEncodedFormParameterEncoder(destination: .methodDependent)))
    }

    func usage12() {
        let lists: [String: [String]] = ["reds": ["rose", "brick"], "blues": ["sky"]]
        start(AF.request("\(base)/12", method: .post, parameters: lists))
        start(
            AF.request(
                "\(base)/12", method: .post, parameters: lists,
                encoder: URLEncodedFormParameterEncoder.default))
        start(
            AF.request(
                "\(base)/12", method: .post, parameters: lists,
                encoder: URLEncodedFormParameterEncoder(destination: .httpBody)))
    }

    func usage13() throws {
        try check(URLEncodedFormEncoder(alphabetizeKeyValuePairs: false), ["a": "b"], "a=b")
    }

    func usage14() throws {
        try check(URLEncodedFormEncoder(arrayEncoding: .noBrackets), ["a": [2, 1]], "a=2&a=1")
    }

    func usage15() throws {
        try check(URLEncodedFormEncoder(boolEncoding: .numeric), ["a": true], "a=1")
    }

    func usage16() throws {
        try check(URLEncodedFormEncoder(dataEncoding: .base64), ["a": Data([0])], "a=AA%3D%3D")
    }

    func usage17() throws {
        let epoch = ["a": Date(timeIntervalSince1970: 0)]
        try check(
            URLEncodedFormEncoder(dateEncoding: .iso8601), epoch, "a=1970-01-01T00%3A00%3A00Z")
    }

    func usage18() throws {
        try check(
            URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase), ["twoWords": 2], "two_words=2")
    }

    func usage19() throws {
        try check(
            URLEncodedFormEncoder(keyPathEncoding: .brackets), ["a": ["b": 1]], "a%5Bb%5D=1")
    }

    func usage20() throws {
        try check(URLEncodedFormEncoder(spaceEncoding: .plusReplaced), ["a": "b c"], "a=b+c")
    }

    func usage21() throws {
        try check(URLEncodedFormEncoder(nilEncoding: .dash), ["a": String?.none], "a=-")
    }

    func usage22() throws {
        try check(URLEncodedFormEncoder(nilEncoding: .dropKey), ["a": nil, "b": 1], "b=1")
    }

    func usage23() {
        let lists: [String: [Int]] = ["odd": [3, 1], "even": [2]]
        for encoder in [
            JSONParameterEncoder.default, JSONParameterEncoder.prettyPrinted,
            JSONParameterEncoder.sortedKeys,
        ] {
            start(AF.request("\(base)/23", method: .post, parameters: lists, encoder: encoder))
        }
    }

    func usage24() throws {
        let json = JSONEncoder()
        json.dateEncodingStrategy = .iso8601
        json.keyEncodingStrategy = .convertToSnakeCase
        let encoder = JSONParameterEncoder(encoder: json)
        let made = try encoder.encode(Pair(twoWords: 1), into: URLRequest(url: url("/24")))
        keep(made.httpBody == Data(#"{"two_words":1}"#.utf8))
    }

    func usage25() throws {
        let place = try url("/25")
        let plain = URLRequest(url: place)
        let made = try URLEncodedFormParameterEncoder.default.encode(["word": "tea"], into: plain)
        keep(made.url.absoluteString.hasSuffix("/25?word=tea"))
    }

    func usage26() {
        let headers: HTTPHeaders = ["X-Colour": "red", "Accept": "application/json"]
        AF.request("\(base)/26", headers: headers).responseDecodable(of: Greeting.self) { answer in
            debugPrint(answer)
        }
    }

    func usage27() {
        let headers: HTTPHeaders = [
            .authorization(username: "ada", password: "pw"), .accept("application/json"),
        ]
        AF.request("\(base)/27", headers: headers).responseDecodable(of: Greeting.self) { answer in
            debugPrint(answer)
        }
    }

    private func check(
        _ rules: URLEncodedFormEncoder, _ values: some Encodable & Sendable, _ pairs: String
    ) throws {
        let encoder = URLEncodedFormParameterEncoder(encoder: rules)
        let made = try encoder.encode(values, into: URLRequest(url: url("/")))
        keep(made.url.queryText == pairs)
    }
}

extension HTTPMethod {
    fileprivate static let brew = HTTPMethod(rawValue: "BREW")
}

extension URLEncodedFormEncoder.NilEncoding {
    fileprivate static let dash = Self { "-" }
}
