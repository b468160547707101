/// The tables of a central store, in a team's PostgreSQL schema (`docs/FLEET.md`).
///
/// Columns have the names and meanings of those in a local store (`docs/SCHEMA.md`). Texts are
/// compared byte by byte (`COLLATE "C"`), as SQLite does, so that a filter finds the same.
package enum CentralSchema {
    /// The schema version that this program writes.
    package static let version: Int64 = 1

    /// Migrates an empty schema to version 1, then each version to the next.
    static let migrations = [tables + partitions + indexes + views]

    /// The search path in which the functions are made, which they keep. They run with the rights
    /// of the owner, so what a caller could put into `pg_temp` must not hide the catalogue.
    static func searchPath(_ schema: String) -> String { "\"\(schema)\", pg_temp" }

    /// The tables that are partitioned by day, with their partition keys.
    package static let dailyTables = [
        "exchange", "content", "body_piece", "body_text", "parameter", "message", "applied_rule",
        "connection",
    ]

    private static let tables = """
        CREATE TABLE store_version (
          version integer NOT NULL
        );
        INSERT INTO store_version VALUES (0);
        CREATE TABLE shipper (
          no integer PRIMARY KEY CHECK (no > 0 AND no < 1 << 29),
          name text COLLATE "C" NOT NULL UNIQUE,
          base_name text COLLATE "C" NOT NULL,
          store_id bytea NOT NULL,
          generation integer NOT NULL DEFAULT 1,
          fingerprint text COLLATE "C" NOT NULL,
          mark bigint NOT NULL,
          previous_mark bigint NOT NULL,
          marked_through bigint NOT NULL DEFAULT 0,
          forked_after bigint NOT NULL DEFAULT 0,
          through_id bigint NOT NULL DEFAULT 0,
          open_ids bigint[] NOT NULL DEFAULT '{}',
          change_sequence bigint NOT NULL DEFAULT 0,
          delivered bigint NOT NULL DEFAULT 0,
          skipped bigint NOT NULL DEFAULT 0,
          retention_age_days integer CHECK (retention_age_days BETWEEN 1 AND 36500),
          seen_at timestamptz NOT NULL DEFAULT now(),
          UNIQUE (store_id, generation)
        );
        CREATE TABLE rejected (
          shipper_no integer NOT NULL,
          id bigint NOT NULL,
          sqlstate text NOT NULL,
          message text NOT NULL,
          at timestamptz NOT NULL DEFAULT now(),
          PRIMARY KEY (shipper_no, id)
        );
        CREATE TABLE exchange (
          id bigint NOT NULL,
          shipper_no integer NOT NULL,
          started_at timestamptz NOT NULL,
          started_ns bigint NOT NULL,
          state smallint NOT NULL,
          method text COLLATE "C",
          scheme text COLLATE "C",
          host text COLLATE "C",
          port integer,
          path text COLLATE "C",
          query text COLLATE "C",
          http_version smallint,
          status integer,
          reason text COLLATE "C",
          request_type text COLLATE "C",
          response_type text COLLATE "C",
          request_body_bytes bigint NOT NULL,
          request_kept_bytes bigint NOT NULL,
          response_body_bytes bigint NOT NULL,
          response_kept_bytes bigint NOT NULL,
          duration_ns bigint,
          timeline bytea NOT NULL,
          client_connection_id bigint,
          server_connection_id bigint,
          error_origin text COLLATE "C",
          error_kind text COLLATE "C",
          error text COLLATE "C",
          upgraded_to text COLLATE "C",
          replay_of bigint,
          head_format smallint NOT NULL,
          flags integer NOT NULL,
          client_stream bigint,
          server_stream bigint,
          reset bigint,
          message_count bigint,
          grpc_status bigint,
          graphql_operation text COLLATE "C",
          graphql_type text COLLATE "C",
          user_name text COLLATE "C",
          client_address text COLLATE "C",
          named_client_address text COLLATE "C",
          process text COLLATE "C",
          pid integer,
          server_address text COLLATE "C",
          tls_version text COLLATE "C",
          listener text COLLATE "C",
          upstream text COLLATE "C",
          rules text[] COLLATE "C",
          note text COLLATE "C",
          tags text[] COLLATE "C" NOT NULL DEFAULT '{}',
          pinned boolean NOT NULL DEFAULT false,
          annotated_at timestamptz,
          PRIMARY KEY (started_at, id)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE content (
          exchange_id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          request_head bytea,
          response_head bytea,
          request_trailers bytea,
          response_trailers bytea,
          interim_heads bytea,
          request_head_sent bytea,
          request_head_codings bytea,
          response_head_codings bytea,
          frames bytea,
          response_head_sent bytea,
          request_body bytea,
          response_body bytea,
          request_body_sent bytea,
          response_body_sent bytea,
          refused_octets bytea,
          refused_reason text COLLATE "C",
          repaired text COLLATE "C",
          PRIMARY KEY (started_at, exchange_id)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE body_piece (
          exchange_id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          part smallint NOT NULL,
          position integer NOT NULL,
          octets bytea NOT NULL,
          PRIMARY KEY (started_at, exchange_id, part, position)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE body_text (
          exchange_id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          side smallint NOT NULL,
          text text COLLATE "C",
          PRIMARY KEY (started_at, exchange_id, side)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE body_index (
          day date NOT NULL,
          shipper_no integer NOT NULL,
          through_id bigint NOT NULL,
          open_ids bigint[] NOT NULL,
          PRIMARY KEY (shipper_no, day)
        );
        CREATE TABLE parameter (
          exchange_id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          source text COLLATE "C" NOT NULL,
          position integer NOT NULL,
          name text COLLATE "C" NOT NULL,
          value text COLLATE "C",
          name_octets bytea,
          value_octets bytea,
          PRIMARY KEY (started_at, exchange_id, source, position)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE message (
          exchange_id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          position bigint NOT NULL,
          direction smallint NOT NULL,
          kind smallint NOT NULL,
          flags bigint NOT NULL,
          time_ns bigint NOT NULL,
          bytes bigint NOT NULL,
          wire_bytes bigint NOT NULL,
          body_offset bigint,
          octets bytea,
          problem text COLLATE "C",
          PRIMARY KEY (started_at, exchange_id, position)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE applied_rule (
          exchange_id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          position integer NOT NULL,
          rule text COLLATE "C" NOT NULL,
          phase text COLLATE "C" NOT NULL,
          outcome text COLLATE "C" NOT NULL,
          detail text COLLATE "C",
          PRIMARY KEY (started_at, exchange_id, position)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE connection (
          id bigint NOT NULL,
          started_at timestamptz NOT NULL,
          side text COLLATE "C" NOT NULL,
          opened_ns bigint NOT NULL,
          peer_address text COLLATE "C" NOT NULL,
          local_address text COLLATE "C" NOT NULL,
          tls_version text COLLATE "C",
          tls_cipher text COLLATE "C",
          alpn text COLLATE "C",
          sni text COLLATE "C",
          resumed boolean,
          pid integer,
          process text COLLATE "C",
          certificate_chain bytea,
          our_settings bytea,
          peer_settings bytea,
          frames bytea,
          listener text COLLATE "C",
          mode text COLLATE "C",
          original_address text COLLATE "C",
          proxy_protocol_peer text COLLATE "C",
          upstream text COLLATE "C",
          requested_authorities text COLLATE "C",
          shows_client_certificate boolean,
          PRIMARY KEY (started_at, id)
        ) PARTITION BY RANGE (started_at);
        CREATE TABLE certificate_chain (
          digest bytea PRIMARY KEY,
          octets bytea NOT NULL
        );
        CREATE FUNCTION readable_text(octets bytea) RETURNS text
        LANGUAGE plpgsql IMMUTABLE AS $$
        BEGIN
          RETURN convert_from(octets, 'UTF8');
        EXCEPTION WHEN OTHERS THEN
          RETURN NULL;
        END $$;
        CREATE TABLE proto_file (
          shipper_no integer NOT NULL,
          name text COLLATE "C" NOT NULL,
          source text NOT NULL,
          added_ns bigint NOT NULL,
          octets bytea NOT NULL,
          PRIMARY KEY (shipper_no, name)
        );

        """

    /// Functions that run with the rights of the owner: who delivers cannot make tables.
    private static let indexes = """
        CREATE INDEX exchange_id_key ON exchange (id);
        CREATE INDEX exchange_host_key
          ON exchange (left(lower(host), 256), started_at DESC, id DESC);
        CREATE INDEX exchange_status_key ON exchange (status, started_at DESC, id DESC);
        CREATE INDEX parameter_value_key
          ON parameter (left(name, 128), left(value, 128), started_at DESC, exchange_id DESC);
        CREATE INDEX body_text_unread_key ON body_text (started_at, exchange_id, side)
          WHERE text IS NULL;
        DO $$
        DECLARE
          place text;
        BEGIN
          BEGIN
            CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
          EXCEPTION WHEN OTHERS THEN NULL;
          END;
          SELECT nspname INTO place FROM pg_extension e JOIN pg_namespace n
            ON n.oid = e.extnamespace WHERE extname = 'pg_trgm';
          IF place IS NOT NULL THEN
            EXECUTE format('CREATE INDEX exchange_url_key ON exchange
              USING gin ((lower(\(url.replacing("'", with: "''")))) %I.gin_trgm_ops)', place);
          END IF;
        END $$;

        """

    private static let views = CentralViews.all

    // MARK: The partitions, one for each day

    static let partitions = makeDay("CREATE") + rest

    /// The function that makes the tables of a day.
    /// - Parameter create: `CREATE`, or `CREATE OR REPLACE` where the function is there already.
    static func makeDay(_ create: String) -> String {
        """
        \(create) FUNCTION make_day(day date) RETURNS boolean
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET TimeZone = 'UTC' AS $$
        DECLARE
          parent text;
          part text;
          oldest date := current_date - 3653;
          newest date := current_date + 7;
        BEGIN
          IF to_regclass(format('exchange_%s', to_char(day, 'YYYYMMDD'))) IS NOT NULL THEN
            RETURN false;
          END IF;
          -- The database belongs to other teams, too. Clocks may be wrong: some days are made far
          -- from now, but not all. An exchange without a day is rejected alone, while an error
          -- here would end a shipper that prepares the day of its clock.
          IF day NOT BETWEEN '1677-09-21' AND '2262-04-11' OR day NOT BETWEEN oldest AND newest
            AND 100 <= (
              SELECT count(*) FROM pg_catalog.pg_inherits
                JOIN pg_catalog.pg_class child ON child.oid = inhrelid
              WHERE inhparent = 'exchange'::regclass AND right(child.relname, 8)
                NOT BETWEEN to_char(oldest, 'YYYYMMDD') AND to_char(newest, 'YYYYMMDD'))
          THEN
            RETURN false;
          END IF;
          IF abs(day - current_date) > 1 AND 600 <= (
            SELECT count(*) FROM pg_catalog.pg_inherits
            WHERE inhparent = 'exchange'::regclass AND pg_catalog.pg_relation_size(inhrelid) = 0)
          THEN
            RAISE EXCEPTION 'the day % cannot be made while 600 days are empty', day
              USING ERRCODE = 'configuration_limit_exceeded';
          END IF;
          PERFORM pg_advisory_xact_lock(hashtext(current_schema() || '.make_day'));
          FOREACH parent IN ARRAY ARRAY[\(dailyTables.map { "'\($0)'" }.joined(separator: ", "))]
          LOOP
            part := parent || '_' || to_char(day, 'YYYYMMDD');
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            BEGIN
              -- Attaching waits for no reader, as making a partition would.
              EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', part, parent);
              EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                parent, part, day, day + 1);
            EXCEPTION WHEN duplicate_table THEN
              -- Another shipper made it a moment ago.
              NULL;
            END;
          END LOOP;
          RETURN true;
        END $$;

        """
    }

    private static let rest = """
        CREATE FUNCTION drop_days(before date) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms'
        SET TimeZone = 'UTC' AS $$
        DECLARE
          part name;
          parts name[];
        BEGIN
          -- First all, because a table that is being read cannot be dropped.
          SELECT coalesce(array_agg(child.relname), '{}') INTO parts
          FROM pg_catalog.pg_inherits
              JOIN pg_catalog.pg_class child ON child.oid = inhrelid
              JOIN pg_catalog.pg_class parent ON parent.oid = inhparent
            WHERE parent.relnamespace = current_schema()::regnamespace
              AND parent.relname = ANY (ARRAY[\(
                dailyTables.map { "'\($0)'" }.joined(separator: ", "))])
              AND right(child.relname, 8) < to_char(before, 'YYYYMMDD')
              AND NOT EXISTS (
                SELECT 1 FROM exchange WHERE pinned
                  AND started_at >= to_date(right(child.relname, 8), 'YYYYMMDD')
                  AND started_at < to_date(right(child.relname, 8), 'YYYYMMDD') + 1);
          FOREACH part IN ARRAY parts
          LOOP
            DELETE FROM body_index WHERE to_char(day, 'YYYYMMDD') = right(part, 8);
            EXECUTE format('DROP TABLE %I', part);
          END LOOP;
          RETURN cardinality(parts);
        END $$;
        CREATE FUNCTION make_body_key(day date) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
        DECLARE
          part text := 'body_text_' || to_char(day, 'YYYYMMDD');
          place text;
        BEGIN
          SELECT nspname INTO place FROM pg_catalog.pg_extension e
            JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_trgm';
          IF place IS NOT NULL THEN
            EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I USING gin (text %I.gin_trgm_ops)',
              part || '_key', part, place);
          END IF;
          EXECUTE format('ANALYZE %I', part);
        END $$;
        CREATE FUNCTION drop_body_key(day date) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
        DECLARE
          part text := 'body_text_' || to_char(day, 'YYYYMMDD');
        BEGIN
          EXECUTE format('DROP INDEX IF EXISTS %I', part || '_key');
          EXECUTE format('TRUNCATE %I', part);
        END $$;

        """

    /// The URL of a row of `exchange` as in `list --json`, as an expression that can be indexed.
    package static let url = """
        (exchange.scheme || '://' \
        || CASE WHEN position(':' in exchange.host) > 0 THEN '[' || exchange.host || ']' \
        ELSE exchange.host END \
        || CASE WHEN exchange.port = CASE exchange.scheme WHEN 'https' THEN 443 \
        WHEN 'http' THEN 80 END THEN '' ELSE ':' || exchange.port END \
        || CASE WHEN exchange.path = '*' AND exchange.query IS NULL THEN '' \
        ELSE exchange.path END \
        || coalesce('?' || exchange.query, ''))
        """
}
