import ClientLib
import ProxydHTTPModel
import Testing

struct AcceptedContentTypesTests {
    private func accepts(_ accept: String..., type: String?, isEmpty: Bool = false) -> Bool {
        AcceptedContentTypes(accept: HeaderFields(accept.map { ("accept", $0) }))
            .accepts(contentType: type, isBodyEmpty: isEmpty)
    }

    @Test(arguments: [
        ("application/json", "application/json", true),
        ("application/json", "APPLICATION/JSON; charset=utf-8", true),
        ("application/json", "text/html", false), ("application/*", "application/json", true),
        ("*/json", "application/json", true), ("*/*", "a/b", true), ("text/*", "image/png", false),
        ("text/html, application/json;q=0.5", "application/json", true),
        ("text/html ; level=1 , x/y", "text/html", true), ("a/b;x=\"c/d, e/f\"", "e/f", false),
        ("application/json;q=0, */*", "application/json", false),
        ("*/*, application/json ; Q=0.000", "application/json", false),
        ("application/json;q=0, */*", "text/html", true),
        ("text/*;q=0, text/html", "text/html", true), ("text/*;q=0, text/html", "text/css", false),
        ("application/json;q=0.01", "application/json", true), ("a/b", "nonsense", false),
        ("*/*", "nonsense", false), ("nonsense", "a/b", true), ("", "a/b", true),
    ])
    func `the most specific media range in Accept decides whether a content type is accepted`(
        accept: String, type: String, accepted: Bool
    ) {
        #expect(accepts(accept, type: type) == accepted)
    }

    @Test func `every content type is accepted when the request has no Accept field`() {
        #expect(
            AcceptedContentTypes(accept: HeaderFields()).accepts(
                contentType: "a/b", isBodyEmpty: false))
        #expect(accepts("a/b", "c/d", type: "c/d"))
    }

    @Test
    func `an empty body is always accepted, but a missing Content-Type only if Accept allows */*`()
    {
        #expect(accepts("a/b", type: "c/d", isEmpty: true))
        #expect(accepts("a/b", type: nil, isEmpty: true))
        #expect(!accepts("a/*", type: nil))
        #expect(accepts("a/b, */*;q=0.1", type: nil))
        #expect(!accepts("*/*;q=0", type: nil))
    }

    @Test func `a custom list of accepted content types ignores entries that are not media types`()
    {
        let types = AcceptedContentTypes(["image/*", "json", "", "/", "a/", "text/plain; x=y"])
        #expect(types.patterns.map(\.description) == ["image/*", "text/plain"])
        #expect(types.accepts(contentType: "Image/PNG", isBodyEmpty: false))
        #expect(!types.accepts(contentType: "json", isBodyEmpty: false))
    }
}
