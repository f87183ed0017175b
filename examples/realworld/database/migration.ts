import { Migration } from "limmat";

const comments =
  (id: string): Migration.TypedSql =>
  ({ uuid, text, timestamp }) => [
    `create table comments (
      id ${id},
      article_id ${uuid} not null,
      author_id ${uuid} not null,
      body ${text} not null,
      created_at ${timestamp} not null,
      updated_at ${timestamp} not null,
      foreign key (article_id) references articles (id) on delete cascade,
      foreign key (author_id) references profiles (user_id) on delete cascade
    )`,
    "create index comments_article_id on comments (article_id, id)",
    "create index comments_author_id on comments (author_id)",
  ];

const conduit = Migration.make(
  "conduit",
  [
    Migration.step(
      "create table profiles",
      ({ uuid, string, text }) => `
        create table profiles (
          user_id ${uuid} primary key,
          username ${string(60)} not null unique,
          bio ${text} not null,
          image ${string(2000)} not null,
          foreign key (user_id) references user_users (id) on delete cascade
        )`,
      { down: "drop table profiles" },
    ),
    Migration.step(
      "create table follows",
      ({ uuid }) => [
        `create table follows (
          user_id ${uuid} not null,
          author_id ${uuid} not null,
          primary key (user_id, author_id),
          foreign key (user_id) references profiles (user_id) on delete cascade,
          foreign key (author_id) references profiles (user_id) on delete cascade
        )`,
        "create index follows_author_id on follows (author_id)",
      ],
      { down: "drop table follows" },
    ),
    Migration.step(
      "create table articles",
      ({ uuid, string, text, timestamp }) => [
        `create table articles (
          id ${uuid} primary key,
          author_id ${uuid} not null,
          slug ${string(255)} not null unique,
          title ${string(200)} not null,
          description ${string(1000)} not null,
          body ${text} not null,
          created_at ${timestamp} not null,
          updated_at ${timestamp} not null,
          foreign key (author_id) references profiles (user_id) on delete cascade
        )`,
        "create index articles_created_at on articles (created_at, id)",
        "create index articles_author_id on articles (author_id, created_at, id)",
      ],
      { down: "drop table articles" },
    ),
    Migration.step(
      "create table article_tags",
      ({ uuid, string, int }) => [
        `create table article_tags (
          article_id ${uuid} not null,
          position ${int} not null,
          tag ${string(50)} not null,
          primary key (article_id, position),
          foreign key (article_id) references articles (id) on delete cascade
        )`,
        "create index article_tags_tag on article_tags (tag, article_id)",
      ],
      { down: "drop table article_tags" },
    ),
    Migration.step(
      "create table favorites",
      ({ uuid }) => [
        `create table favorites (
          user_id ${uuid} not null,
          article_id ${uuid} not null,
          primary key (user_id, article_id),
          foreign key (user_id) references profiles (user_id) on delete cascade,
          foreign key (article_id) references articles (id) on delete cascade
        )`,
        "create index favorites_article_id on favorites (article_id, user_id)",
      ],
      { down: "drop table favorites" },
    ),
    Migration.step(
      "create table comments",
      {
        sqlite: comments("integer primary key autoincrement"),
        postgresql: comments("bigint generated always as identity primary key"),
        mariadb: comments("bigint auto_increment primary key"),
      },
      { down: "drop table comments" },
    ),
  ],
  { after: ["user"] },
);

export const migrations = [conduit];
