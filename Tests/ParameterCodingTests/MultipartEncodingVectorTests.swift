import ProxydParameterCoding
import Testing

@Suite struct MultipartEncodingVectorTests {
    private struct Case: Decodable {
        let id: String
        let kind: String
        let parameters: ParameterVectorValue?
        let options: ParameterVectorValue
        let expected: ParameterVectorValue
        let adopt: String

        func form() throws -> MultipartFormData {
            var form = MultipartFormData(
                boundary: try MultipartBoundary(try #require(options["boundary"]?.text)))
            guard case .array(let parts)? = parameters else { return form }
            for part in parts {
                if let pairs = part["parameters"] {
                    try form.append(parameters: MultipartEncodingVectorTests.tree(pairs))
                } else {
                    form.append(
                        Array((part["data"]?.text ?? "").utf8),
                        name: part["name"]?.text ?? "",
                        filename: part["fileName"]?.text,
                        contentType: part["mimeType"]?.text
                    )
                }
            }
            return form
        }
    }

    private static func tree(_ pairs: ParameterVectorValue) throws -> Parameter {
        try ParameterTreeEncoder().encode(ParameterVectorTree(value: pairs, isPairs: true))
    }

    @Test(.enabled(if: Vectors.has("parameter-coding.json")))
    func `every multipart case of the shared parameter coding vectors gives the expected result`()
        throws
    {
        let cases = try Vectors.load("parameter-coding.json", as: [Case].self)
            .filter { $0.kind == "multipart" }
        #expect(cases.count >= 6)
        for item in cases {
            let form = try item.form()
            let body = String(decoding: try form.encoded(), as: UTF8.self)
            var answers: [Bool] = []
            if let type = item.expected["contentType"]?.text {
                answers.append(form.contentType == type)
            }
            if let expected = item.expected["body"]?.text { answers.append(body == expected) }
            if case .int(let count)? = item.expected["contentLength"] {
                answers.append(form.byteCount == count)
                // Ours is the one that Content-Length needs.
                #expect(form.byteCount == Int64(body.utf8.count))
            }
            if case .array(let parts)? = item.expected["parts"] {
                let expected = parts.map { [$0["name"]?.text, $0["data"]?.text] }
                let decoded = try ParameterCodingTests.parts(
                    form.encoded(), boundary: form.boundary.text
                ).parts
                answers.append(decoded.map { [$0.name, $0.content] } == expected)
            }
            #expect(answers == [item.adopt != "no"], "\(item.id)")
        }
    }
}
