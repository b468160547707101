// The filter language, one for list, tail, export, replay and clear. This table is what --help
// prints (`FilterGrammar.help`); a test keeps the two alike.
//
//   word  "two words"     the URL contains it (\" for a quote inside)
//   field:value           contains it, in any case
//   field=value           is exactly it
//   field~regex           matches it; (?i) in front for any case
//   field<value <= > >=   for numbers, sizes, durations and times
//   field!=value          not field=value; so too !: and !~
//   a b   a and b         both;  a or b  one of them;  not a;  ( )
//
//   method host port path url query scheme    the request
//   status type size reqsize                  status (404, 4xx), content type, body octets
//   time duration                             when it began, how long it took
//   header.NAME reqheader.NAME resheader.NAME header fields of either, request, response
//   param.NAME                                query, form, multipart and JSON (param.a.x[2].y)
//   body reqbody resbody                      bodies with gzip and the like undone
//   client process error state tag note id    state: active complete failed tunnel
//
//   10k 2M 1Gi            sizes (k is 1,000, Ki is 1,024)
//   250ms 1.5s 2m 1h      durations (without unit: ms)
//   2026-11-20T10:00      times, local; Z or +01:00 behind for another zone; -15m before now
//
//   mitmproxy's:  ~u url  ~m method  ~c code  ~d host  ~t ~tq ~ts type  ~h ~hq ~hs header
//   ~b ~bq ~bs body  ~src ~dst address  ~comment note   (regular expressions in any case)
//   ~all ~q no response  ~s response  ~e error  ~a asset  ~marked ~replay ~http
//   ~websocket ~tcp
//   & | !                 and, or, not

/// Help and limits of the filter language.
public enum FilterGrammar {
    /// The longest filter, in octets of UTF-8: far above what a person types, far below what the
    /// database takes.
    public static let filterByteCountMax = 8_192
    /// The most words, tests and operators in one filter.
    public static let tokenCountMax = 500
    /// How deep parentheses and `not` nest; bounds the recursion.
    public static let depthMax = 50

    /// What fields are called; those that take a name end with a dot.
    public static let fieldNames = FilterField.allCases.map {
        $0.takesName ? $0.rawValue + "." : $0.rawValue
    }

    /// The operator table for `--help`, lines of at most 100 characters.
    public static let help = """
          word  "two words"     the URL contains it (\\" for a quote inside)
          field:value           contains it, in any case
          field=value           is exactly it
          field~regex           matches it; (?i) in front for any case
          field<value <= > >=   for numbers, sizes, durations and times
          field!=value          not field=value; so too !: and !~
          a b   a and b         both;  a or b  one of them;  not a;  ( )

          method host port path url query scheme    the request
          status type size reqsize                  status (404, 4xx), content type, body octets
          time duration                             when it began, how long it took
          header.NAME reqheader.NAME resheader.NAME header fields of either, request, response
          param.NAME                                query, form, multipart and JSON (param.a.x[2].y)
          body reqbody resbody                      bodies with gzip and the like undone
          client process error state tag note id    state: active complete failed tunnel

          10k 2M 1Gi            sizes (k is 1,000, Ki is 1,024)
          250ms 1.5s 2m 1h      durations (without unit: ms)
          2026-11-20T10:00      times, local; Z or +01:00 behind for another zone; -15m before now

          mitmproxy's:  ~u url  ~m method  ~c code  ~d host  ~t ~tq ~ts type  ~h ~hq ~hs header
          ~b ~bq ~bs body  ~src ~dst address  ~comment note   (regular expressions in any case)
          ~all ~q no response  ~s response  ~e error  ~a asset  ~marked ~replay ~http
          ~websocket ~tcp
          & | !                 and, or, not
        """
}
