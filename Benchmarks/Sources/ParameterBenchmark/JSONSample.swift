internal import Foundation

/// JSON texts as they are sent.
struct JSONSample {
    let bytes: [UInt8]
    /// The same as Foundation wants it.
    let data: Data

    /// What a short answer is.
    static let small = JSONSample(
        #"{"id":42,"name":"small reply","items":[1,2,3,4,5,6,7,8],"ok":true,"next":null}"#)

    /// A megabyte of objects: text with and without escapes, whole numbers and others, nesting.
    static let large: JSONSample = {
        var elements: [String] = []
        var byteCount = 0
        while byteCount < 1 << 20 {
            let index = elements.count
            let element = """
                {"id": \(index), "guid": "0f8fad5b-d9cb-469f-a165-70867728950e", "name": "Ada \
                Lovelace", "motto": "Gr\\u00fc\\u00dfe \\"aus\\" K\u{F6}ln\\n", "active": \
                \(index % 2 == 0), "balance": \(index * 37 % 10_000).95, "rate": 1.5e-7, \
                "location": {"latitude": 50.9\(index), "longitude": -6.95}, "tags": ["a", "bb", \
                "ccc", "\u{1F600}"], "parent": null, "text": "It is a truth universally \
                acknowledged, that a single man in possession of a good fortune, must be in want \
                of a wife."}
                """
            elements.append(element)
            byteCount += element.utf8.count + 2
        }
        return JSONSample("[\(elements.joined(separator: ",\n"))]")
    }()

    /// A megabyte of numbers.
    static let numbers = JSONSample(
        "[" + (0..<130_000).map { "\($0 * 7 % 100_000).\($0 % 10)" }.joined(separator: ",") + "]")

    /// A megabyte of text, line by line.
    static let texts = JSONSample(
        "["
            + (0..<10_000).map { "\"line \($0) of a log, \(String(repeating: "x", count: 80))\"" }
            .joined(separator: ",") + "]")

    private init(_ text: String) {
        bytes = Array(text.utf8)
        data = Data(bytes)
    }
}
