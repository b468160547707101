/// Messages as they are on the wire.
public enum WireSamples {
    /// What a browser asks a proxy.
    public static let request = Array(
        """
        GET http://www.example.com/search?q=caf%C3%A9&page=2 HTTP/1.1\r
        Host: www.example.com\r
        User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r
        Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r
        Accept-Language: en-US,en;q=0.5\r
        Accept-Encoding: gzip, deflate, br, zstd\r
        Referer: http://www.example.com/\r
        Connection: keep-alive\r
        Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r
        \r\n
        """.utf8)

    /// A small answer.
    public static let response =
        Array(
            """
            HTTP/1.1 200 OK\r
            Date: Sat, 21 Nov 2026 10:00:00 GMT\r
            Server: example\r
            Content-Type: application/json; charset=utf-8\r
            Cache-Control: private, max-age=0\r
            Vary: Accept-Encoding\r
            Content-Length: 12\r
            \r
            {"ok":true}
            """.utf8) + [0x0A]

    /// 64 KiB in chunks of 4 KiB.
    public static let chunkedBody: [UInt8] =
        Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        + Array(
            repeating: Array("1000\r\n".utf8) + Array(repeating: 0x61, count: 4_096) + [13, 10],
            count: 16
        ).joined() + Array("0\r\n\r\n".utf8)
}
