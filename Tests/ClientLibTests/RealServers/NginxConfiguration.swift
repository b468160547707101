/// What nginx is told.
enum NginxConfiguration {
    /// `/number/N` answers N and tells which connection it came on, `/files/` serves files,
    /// `/text/` the same compressed, `/slow/` so slowly that one can give up, ranges of them at
    /// once, `/uploads/` takes files by PUT, and `/gated/` takes them once
    /// that was opened; until then it is 503. `/loop` redirects to itself.
    static func text(directory: String, port: UInt16, securePort: UInt16) -> String {
        """
        daemon off;
        # Everything in one process, with the rights of who runs the tests.
        master_process off;
        pid \(directory)/nginx.pid;
        error_log stderr error;
        events { worker_connections 1024; }
        http {
            access_log off;
            default_type application/octet-stream;
            client_max_body_size 0;
            keepalive_requests 1000000;
            keepalive_timeout 600s;
            client_body_temp_path \(directory)/temporary/body;
            proxy_temp_path \(directory)/temporary/proxy;
            fastcgi_temp_path \(directory)/temporary/fastcgi;
            uwsgi_temp_path \(directory)/temporary/uwsgi;
            scgi_temp_path \(directory)/temporary/scgi;
            map $http_range $rate { "" 100k; default 0; }
            server {
                listen 127.0.0.1:\(port) backlog=1024;
                listen 127.0.0.1:\(securePort) ssl backlog=1024;
                ssl_certificate \(directory)/certificate.pem;
                ssl_certificate_key \(directory)/key.pem;
                root \(directory)/files;
                location ~ ^/number/(?<number>[0-9]+)$ {
                    add_header X-Connection $connection;
                    return 200 "$number";
                }
                location = /loop { return 302 /loop; }
                location /files/ { alias \(directory)/files/; }
                location /slow/ {
                    alias \(directory)/files/;
                    limit_rate $rate;
                }
                location /text/ {
                    alias \(directory)/files/;
                    gzip on;
                    gzip_types *;
                    gzip_min_length 0;
                }
                location /uploads/ { dav_methods PUT; }
                location /gated/ {
                    if (!-f $document_root/open$uri) { return 503 "closed"; }
                    dav_methods PUT;
                }
            }
        }
        """
    }
}
