import Foundation
import ProxydParameterCoding
import Testing

@Suite struct JSONVectorTests {
    private struct Case: Decodable {
        struct Repetition: Decodable {
            let unit: Data
            let bytes: Int
        }

        let name: String
        let expect: String
        let base64: Data?
        let `repeat`: Repetition?

        var bytes: [UInt8]? {
            if let base64 { return Array(base64) }
            guard let `repeat`, !`repeat`.unit.isEmpty else { return nil }
            let unit = Array(`repeat`.unit)
            return (0..<`repeat`.bytes).map { unit[$0 % unit.count] }
        }
    }

    @Test(.enabled(if: Vectors.has("json/parsing.json")))
    func `the JSON reader accepts or rejects each of the 318 shared JSON vectors as expected`()
        throws
    {
        let cases = try Vectors.load("json/parsing.json", as: [Case].self)
        #expect(cases.count == 318)
        for item in cases {
            let bytes = try #require(item.bytes, "\(item.name)")
            let value = try? JSONReader().read(bytes)
            switch item.expect {
            case "accept": #expect(value != nil, "\(item.name)")
            case "reject": #expect(value == nil, "\(item.name)")
            default: break
            }
        }
    }
}
