internal import BenchmarkSupport
internal import Foundation
internal import ProxydParameterCoding

/// What parameters cost, decoded and encoded, beside Foundation doing the same in the same run.
@main
enum ParameterBenchmark {
    /// How often small samples are taken in a round.
    private static let repetitionCount = 5_000
    private static let pieceByteCount = 64 << 10

    static func main() throws {
        decodeForms()
        try decodeJSON()
        try encode()
        try multipart()
    }

    // MARK: Decoding

    private static func decodeForms() {
        compareForm("decode a small form", .small, repetitionCount)
        compareForm("decode a form of 1 MiB", .large, 1)
    }

    private static func compareForm(_ name: String, _ sample: FormSample, _ count: Int) {
        Measurement.compare(name, byteCount: sample.bytes.count * count) {
            repeated(count) { QueryDecoder().decode(sample.bytes).pairs.count }
        } theirs: {
            repeated(count) {
                var components = URLComponents()
                components.percentEncodedQuery = sample.text
                return components.queryItems?.count ?? 0
            }
        }
    }

    private static func decodeJSON() throws {
        try compareJSON("decode small JSON", .small, repetitionCount)
        try compareJSON("decode JSON of 1 MiB, objects", .large, 1)
        try compareJSON("decode JSON of 1 MiB, numbers", .numbers, 1)
        try compareJSON("decode JSON of 1 MiB, text", .texts, 1)
    }

    private static func compareJSON(_ name: String, _ sample: JSONSample, _ count: Int) throws {
        try Measurement.compare(name, byteCount: sample.bytes.count * count) {
            try repeated(count) {
                guard case .array(let elements) = try JSONReader().read(sample.bytes) else {
                    return 0
                }
                return elements.count
            }
        } theirs: {
            try repeated(count) {
                let value = try JSONSerialization.jsonObject(with: sample.data)
                return (value as? [Any])?.count ?? 0
            }
        }
    }

    // MARK: Encoding

    private static func encode() throws {
        for (name, sample, count) in [
            ("encode a small form", FormSample.small, repetitionCount),
            ("encode a form of 1 MiB", FormSample.large, 1),
        ] {
            let items = QueryDecoder().decode(sample.bytes).pairs.map {
                URLQueryItem(name: $0.name, value: $0.value)
            }
            try Measurement.compare(name, byteCount: sample.bytes.count * count) {
                try repeated(count) { try URLEncoding.whatwgForm.bytes(sample.parameters).count }
            } theirs: {
                repeated(count) {
                    var components = URLComponents()
                    components.queryItems = items
                    return components.percentEncodedQuery?.utf8.count ?? 0
                }
            }
        }
        for (name, sample, count) in [
            ("encode small JSON", JSONSample.small, repetitionCount),
            ("encode JSON of 1 MiB, objects", JSONSample.large, 1),
        ] {
            let ours = try JSONReader().read(sample.bytes)
            let theirs = try JSONSerialization.jsonObject(with: sample.data)
            try Measurement.compare(name, byteCount: sample.bytes.count * count) {
                try repeated(count) { try JSONWriter().write(ours).count }
            } theirs: {
                try repeated(count) { try JSONSerialization.data(withJSONObject: theirs).count }
            }
        }
    }

    // MARK: Multipart

    private static func multipart() throws {
        var fields = MultipartFormData()
        for index in 0..<100 { fields.append("a short value", name: "field \(index)") }
        var file = fields
        file.append(
            (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 0x9E37 >> 8) }, name: "file",
            filename: "photo.jpg", contentType: "image/jpeg")
        for (name, form) in [("100 fields", fields), ("100 fields and 1 MiB of file", file)] {
            let body = try form.encoded()
            try Measurement.reportSpeed("encode multipart, \(name)", byteCount: body.count * 10) {
                try repeated(10) { try form.encoded().count }
            }
            try Measurement.reportSpeed("decode multipart, \(name)", byteCount: body.count * 10) {
                try repeated(10) { try decode(body, form.boundary) }
            }
        }
    }

    private static func decode(_ body: [UInt8], _ boundary: MultipartBoundary) throws -> Int {
        var decoder = try MultipartDecoder(boundary: Array(boundary.text.utf8))
        var witness = 0
        var start = 0
        while start < body.count {
            let end = min(body.count, start + pieceByteCount)
            var events: [MultipartEvent] = []
            try decoder.receive(body.span.extracting(start..<end), into: &events)
            witness &+= events.count
            start = end
        }
        return witness
    }

    private static func repeated(_ count: Int, _ body: () throws -> Int) rethrows -> Int {
        var witness = 0
        for _ in 0..<count { witness &+= try body() }
        return witness
    }
}
