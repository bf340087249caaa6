//! Typosquats made by a generator of its own, and honest names: figures of the engine.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod generator;

use std::collections::BTreeSet;

use lookalikes::Names;
use versions::Ecosystem;

const LISTED: [Ecosystem; 5] =
    [Ecosystem::Npm, Ecosystem::Pypi, Ecosystem::Go, Ecosystem::RubyGems, Ecosystem::GitHubAction];

/// Well-known names that are imitated. Written for this test; the engine has to know them.
fn targets(ecosystem: Ecosystem) -> Vec<&'static str> {
    let text = match ecosystem {
        Ecosystem::Npm => {
            "lodash express react axios chalk commander moment webpack typescript mongoose cross-env dotenv
            jsonwebtoken body-parser node-fetch socket.io electron puppeteer eslint prettier nodemailer ethers discord.js
            next vite jest rimraf semver inquirer winston bcrypt uuid debug async underscore jquery redux mysql handlebars
            react-dom date-fns fs-extra @types/node @babel/core @angular/core @nestjs/common @aws-sdk/client-s3 @solana/web3.js"
        }
        Ecosystem::Pypi => {
            "requests numpy pandas urllib3 setuptools cryptography python-dateutil pyyaml beautifulsoup4 tensorflow
            matplotlib scikit-learn django flask fastapi selenium paramiko colorama pillow boto3 botocore sqlalchemy
            opencv-python transformers torch openai pytest jinja2 click aiohttp httpx pydantic psycopg2-binary
            python-dotenv discord-py telethon web3 scrapy celery redis ansible"
        }
        Ecosystem::Go => {
            "github.com/gin-gonic/gin github.com/sirupsen/logrus github.com/spf13/cobra github.com/stretchr/testify
            github.com/gorilla/mux github.com/boltdb/bolt github.com/hashicorp/vault github.com/BurntSushi/toml
            github.com/google/uuid github.com/go-redis/redis github.com/jackc/pgx github.com/shopspring/decimal
            github.com/golang-jwt/jwt github.com/labstack/echo github.com/prometheus/client_golang golang.org/x/net
            golang.org/x/crypto go.uber.org/zap google.golang.org/grpc gorm.io/gorm github.com/valyala/fasthttp"
        }
        Ecosystem::RubyGems => {
            "rails nokogiri rspec-core sinatra devise sidekiq puma bundler rest-client activerecord activesupport
            faraday httparty rubocop capybara minitest json jekyll fastlane cocoapods omniauth bcrypt redis
            aws-sdk-s3 rack-cors concurrent-ruby will_paginate carrierwave factory_bot_rails kaminari"
        }
        _ => {
            "actions/checkout actions/setup-node actions/cache docker/login-action docker/build-push-action
            github/codeql-action aws-actions/configure-aws-credentials azure/login hashicorp/setup-terraform
            codecov/codecov-action softprops/action-gh-release peter-evans/create-pull-request tj-actions/changed-files
            pypa/gh-action-pypi-publish golangci/golangci-lint-action reviewdog/action-setup"
        }
    };
    text.split_whitespace().collect()
}

fn honest(ecosystem: Ecosystem) -> BTreeSet<&'static str> {
    let text = match ecosystem {
        Ecosystem::Npm => {
            concat!(include_str!("../honest/npm.txt"), include_str!("../honest/npm-locked.txt"))
        }
        Ecosystem::Pypi => {
            concat!(include_str!("../honest/pypi.txt"), include_str!("../honest/pypi-locked.txt"))
        }
        Ecosystem::Go => concat!(include_str!("../honest/go.txt"), include_str!("../honest/go-locked.txt")),
        Ecosystem::RubyGems => include_str!("../honest/rubygems.txt"),
        _ => include_str!("../honest/github-action.txt"),
    };
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

#[test]
fn lists_are_long_enough() {
    let names = Names::built_in();
    for ecosystem in LISTED {
        assert!(names.count(ecosystem) >= 300, "{ecosystem}: {}", names.count(ecosystem));
    }
}

#[test]
fn nine_in_ten_typosquats_are_found_in_every_ecosystem() {
    let names = Names::built_in();
    for ecosystem in LISTED {
        let (mut found, mut all, mut missed) = (0, 0, Vec::new());
        for target in targets(ecosystem) {
            assert!(names.is_known(ecosystem, target), "{ecosystem} does not know {target}");
            for squat in generator::squats(ecosystem, target) {
                if names.is_known(ecosystem, &squat.name) {
                    continue;
                }
                all += 1;
                match names.lookalike(ecosystem, &squat.name) {
                    Some(_) => found += 1,
                    None => missed.push(format!("{} ({})", squat.name, squat.operation)),
                }
            }
        }
        println!("{ecosystem}: {found} of {all} typosquats, missed {missed:?}");
        assert!(all >= 100, "{ecosystem}: only {all} typosquats");
        assert!(found * 100 >= all * 90, "{ecosystem}: {found} of {all}");
    }
}

#[test]
fn one_in_two_hundred_honest_names_is_reported_at_most() {
    let names = Names::built_in();
    for ecosystem in LISTED {
        let honest = honest(ecosystem);
        let unknown: Vec<_> = honest.iter().filter(|name| !names.is_known(ecosystem, name)).collect();
        let reported: Vec<String> = unknown
            .iter()
            .filter_map(|name| Some((name, names.lookalike(ecosystem, name)?)))
            .map(|(name, found)| format!("{name}: {:?} of {}", found.edit, found.known))
            .collect();
        println!(
            "{ecosystem}: {} of {} honest names ({} of them unknown): {reported:#?}",
            reported.len(),
            honest.len(),
            unknown.len()
        );
        assert!(unknown.len() >= 100, "{ecosystem}: only {} unknown honest names", unknown.len());
        assert!(reported.len() * 1_000 <= honest.len() * 5, "{ecosystem}: {reported:#?}");
    }
}

#[test]
fn extensions_of_known_names_are_honest() {
    let names = Names::built_in();
    for (ecosystem, name) in [
        (Ecosystem::Npm, "lodash-es"),
        (Ecosystem::Npm, "react-dom"),
        (Ecosystem::Npm, "eslint-plugin-unicorn"),
        (Ecosystem::Npm, "@types/lodash.merge"),
        (Ecosystem::Npm, "@someone/lodash"),
        (Ecosystem::Pypi, "types-requests"),
        (Ecosystem::Pypi, "pytest-benchmark"),
        (Ecosystem::Pypi, "Flask_Caching"),
        (Ecosystem::Go, "github.com/spf13/cobra-cli"),
        (Ecosystem::Go, "github.com/someone/logrus"),
        (Ecosystem::Go, "github.com/gin-gonic/gin/v2"),
        (Ecosystem::RubyGems, "rspec-retry"),
        (Ecosystem::GitHubAction, "docker/setup-compose-action"),
        (Ecosystem::GitHubAction, "someone/checkout"),
    ] {
        assert_eq!(names.lookalike(ecosystem, name), None, "{name}");
    }
}

#[test]
fn added_names_are_known_and_imitated_ones_are_found() {
    let mut names = Names::built_in();
    assert_eq!(names.lookalike(Ecosystem::Npm, "acme-widgetz"), None);
    names.add(Ecosystem::Npm, ["acme-widgets # ours", "lodahs"]).unwrap();
    assert_eq!(names.lookalike(Ecosystem::Npm, "acme-widgetz").unwrap().known, "acme-widgets");
    assert_eq!(names.lookalike(Ecosystem::Npm, "lodahs"), None);
    let many: Vec<String> = (0..30_000).map(|number| format!("name{number}")).collect();
    assert!(names.add(Ecosystem::Npm, many.iter().map(String::as_str)).is_err());
    assert!(!names.is_known(Ecosystem::Npm, "name1"));
}
