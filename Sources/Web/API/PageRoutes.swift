internal import ProxydHTTPModel
internal import ProxydWebServer

/// The page: a document, scripts and styles.
enum PageRoutes {
    /// Header fields of every response: nothing but our own scripts runs, nothing is kept, and no
    /// other site sees or frames anything.
    static let securityFields = [
        (name: "Content-Security-Policy", value: contentPolicy.joined(separator: "; ")),
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Referrer-Policy", value: "no-referrer"),
        (name: "Cross-Origin-Opener-Policy", value: "same-origin"),
        (name: "Cross-Origin-Resource-Policy", value: "same-origin"),
        (name: "Cache-Control", value: "no-store"),
    ]

    private static let contentPolicy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
        "img-src 'self' blob:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]

    /// The field of responses with captured bytes, should a browser ever show one as a document: it
    /// would have no origin and could load and run nothing.
    static let capturedPolicy = (
        name: "Content-Security-Policy",
        value: "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    )

    static func add(to router: inout WebRouter) {
        router.add(.get, "/") { _ in
            guard let response = response("index.html") else {
                throw WebProblem(500, "the program was built without its page")
            }
            return response
        }
        // Browsers ask for it whatever the page says.
        router.add(.get, "/favicon.ico") { _ in WebResponse(status: 204) }
        router.add(.get, "/page/{name}") { request in
            let name = request.segment("name")
            guard name != "index.html", let response = response(name) else {
                throw WebProblem(404, "the page has no file of this name")
            }
            return response
        }
    }

    /// A file of the page; `PageFiles` is written by the plugin EmbedPage.
    private static func response(_ name: String) -> WebResponse? {
        guard let text = PageFiles.named[name] else { return nil }
        let type =
            switch name.split(separator: ".").last {
            case "html": "text/html"
            case "css": "text/css"
            default: "text/javascript"
            }
        let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return WebResponse(type: type + "; charset=utf-8", Array(bytes))
    }
}
